package logs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/stream"
	"unfold/stream/fleet"
)

// Reporter logs a running stage, by its hooks, and summarises it.
type Reporter struct {
	log    *slog.Logger
	floods floods

	placed, delivered, dead atomic.Int64
}

// NewReporter returns a reporter that writes to log.
func NewReporter(log *slog.Logger) *Reporter {
	return &Reporter{log: log, floods: floods{now: time.Now, kinds: map[string]*flood{}}}
}

// Say writes a line about an event.
func (r *Reporter) Say(event, message string, attrs ...slog.Attr) {
	Say(r.log, slog.LevelInfo, event, message, attrs...)
}

// Warn is Say at level warn.
func (r *Reporter) Warn(event, message string, attrs ...slog.Attr) {
	Say(r.log, slog.LevelWarn, event, message, attrs...)
}

// often writes a line of a kind that is rate-limited.
func (r *Reporter) often(level slog.Level, kind, event, message string, attrs ...slog.Attr) {
	if held, ok := r.floods.may(event + kind); ok {
		Say(r.log, level, event, message, append(attrs, held...)...)
	}
}

// debug writes a line at debug level; attrs are only computed if it is enabled.
func (r *Reporter) debug(event, message string, attrs func() []slog.Attr) {
	if r.log.Enabled(context.Background(), slog.LevelDebug) {
		Say(r.log, slog.LevelDebug, event, message, attrs()...)
	}
}

// Hooks returns hooks that log the events of a pipeline.
func (r *Reporter) Hooks() stream.Hooks {
	return stream.Hooks{
		Assigned: func(tps []stream.TopicPartition) {
			r.Say(Assigned, "reading "+humanize.Plural(len(tps), "partition"), partitions(tps)...)
		},
		Revoked: func(tps []stream.TopicPartition) {
			r.Say(Revoked, "gave back "+humanize.Plural(len(tps), "partition"), partitions(tps)...)
		},
		Placed: func(_ stream.TopicPartition, n int, _ time.Duration) { r.placed.Add(int64(n)) },
		Delivered: func(tp stream.TopicPartition, n, events int, latency time.Duration) {
			r.delivered.Add(int64(n))
			r.debug(Delivered, "delivered", func() []slog.Attr {
				return append(partition(tp), slog.Int(Messages, n), slog.Int(Events, events), seconds(latency))
			})
		},
		Committed: func(p stream.Position) {
			r.debug(Committed, "committed", func() []slog.Attr { return position(p.TopicPartition, p.Offset) })
		},
		Split: func(m stream.Message, parts int) {
			r.often(slog.LevelWarn, "", Split, "output too large for its topic, written in parts", append(position(m.TopicPartition, m.Offset), slog.Int(Parts, parts))...)
		},
		DeadLettered: func(m stream.Message, stage stream.Stage, reason error) {
			r.dead.Add(1)
			r.often(slog.LevelWarn, string(stage), DeadLettered, "dead letter", about(&m, stage, reason)...)
		},
		Skipped: func(m stream.Message, stage stream.Stage, reason error) {
			var skipped *stream.SkippedError
			if errors.As(reason, &skipped) {
				r.often(slog.LevelInfo, skipped.Kind, PassedOver, "skipped", about(&m, stage, reason)...)
				return
			}
			r.often(slog.LevelWarn, string(stage), PassedOver, "not learnt from", about(&m, stage, reason)...)
		},
		Gap: func(gap *stream.OffsetError) {
			Say(r.log, slog.LevelError, Gap, "GAP: the group's offset is not in the topic; "+lost(gap),
				append(position(gap.TopicPartition, gap.Offset), slog.Int64(FirstOffset, gap.First), slog.Int64(EndOffset, gap.End))...)
		},
		CreatedAgain: func(topic string) {
			Say(r.log, slog.LevelWarn, CreatedAgain, "the topic was created again since it was read last: what it holds is new", slog.String(Topic, topic))
		},
		NoOffsets: func(at []stream.Position) {
			tps := make([]stream.TopicPartition, len(at))
			for i, p := range at {
				tps[i] = p.TopicPartition
			}
			Say(r.log, slog.LevelInfo, NoOffsets, "the group has no offsets: reading begins where source.kafka.start says; if the group has read these partitions before, "+
				"it has lost its offsets, and messages come again (earliest) or are passed over (latest)", partitions(tps)...)
		},
		Resumed: func(at stream.Position, noted time.Time) {
			Say(r.log, slog.LevelWarn, Resumed, "the group has lost its offset: reading goes on at the one that the state folder has; what was delivered after "+
				noted.UTC().Format(time.RFC3339)+" comes again", position(at.TopicPartition, at.Offset)...)
		},
		Retrying:      r.retrying,
		Published:     r.published,
		Encoded:       r.encoded,
		RefreshFailed: func(err error) { r.often(slog.LevelError, "", RefreshFailed, "no new map", failure(err)) },
		Drifted:       r.drifted,
	}
}

// drifted logs a drift alarm, or why drift cannot be tested.
func (r *Reporter) drifted(d stream.Drift) {
	if d.Problem != "" {
		r.often(slog.LevelWarn, "", DriftProblem, "drift is not watched", slog.String(Error, d.Problem))
	}
	if d.Raised {
		text := fmt.Sprintf("drift: the last %s are unlike the points of map version %d", humanize.Plural(d.Window, "event"), d.Version)
		about := []slog.Attr{slog.Uint64(Version, d.Version), slog.Int(Window, d.Window), slog.Int(Reference, d.Reference), slog.Float64(Level, d.Level), slog.Float64(Bound, d.Bound)}
		if c := mostDrifted(d.Clusters); c != nil {
			text += fmt.Sprintf(", most of all in cluster %d", c.Cluster)
			about = append(about, slog.Uint64(Cluster, c.Cluster))
		}
		r.often(slog.LevelWarn, "", Drifted, text, about...)
	}
}

// mostDrifted returns the cluster with the largest count, among those in which it is above chance.
func mostDrifted(all []stream.ClusterDrift) (most *stream.ClusterDrift) {
	for i, c := range all {
		if c.Neighbors > 0 && (most == nil || c.Neighbors > most.Neighbors) {
			most = &all[i]
		}
	}
	return most
}

// encoded logs the columns that "*" excludes or that dominate the distance.
func (r *Reporter) encoded(left []ingest.Left, dominant *ingest.Dominant) {
	if len(left) > 0 {
		names := make([]string, len(left))
		for i, l := range left {
			names[i] = l.Column
		}
		r.Say(Columns, ingest.DescribeLeft(left), slog.Any(LeftOut, names))
	}
	if dominant != nil {
		Say(r.log, slog.LevelWarn, Dominating, dominant.String(), slog.String(Column, dominant.Column), slog.Float64(Share, dominant.Share))
	}
}

// Fleet returns hooks that log announced, received and rejected maps.
func (r *Reporter) Fleet() fleet.Hooks {
	return fleet.Hooks{
		Announced: func(a fleet.Announcement, took time.Duration) {
			r.Say(MapAnnounced, fmt.Sprintf("map version %d (epoch %d) announced, %s, after %s", a.Version, a.Epoch, humanize.Bytes(a.Bytes), humanize.Span(took)),
				slog.String(MapID, a.MapID), slog.Uint64(Version, a.Version), slog.Uint64(Epoch, uint64(a.Epoch)), slog.Int64(Bytes, a.Bytes), seconds(took))
		},
		Refused: func(a fleet.Announcement, why string, err error) {
			Say(r.log, slog.LevelError, MapRefused, fmt.Sprintf("map version %d REFUSED (%s), the one before stays", a.Version, why),
				slog.Uint64(Version, a.Version), slog.String(Reason, why), failure(err))
		},
		Malformed: func(m stream.Message, err error) {
			r.often(slog.LevelWarn, "", Malformed, "an announcement was skipped", append(position(m.TopicPartition, m.Offset), failure(err))...)
		},
		Retrying: r.retrying,
	}
}

func (r *Reporter) retrying(what string, attempt int, err error, pause time.Duration) {
	r.often(slog.LevelWarn, what, Retrying, fmt.Sprintf("%s failed, attempt %d, again in %s", what, attempt, humanize.Span(pause)),
		slog.String(What, what), slog.Int(Attempt, attempt), slog.Float64(Pause, pause.Seconds()), failure(err))
}

func (r *Reporter) published(p *stream.Published, took time.Duration) {
	how := "loaded"
	if took > 0 {
		how = "learnt in " + humanize.Span(took)
	}
	attrs := []slog.Attr{slog.String(MapID, p.MapID), slog.Uint64(Version, p.Version), slog.Uint64(Epoch, uint64(p.Epoch)), slog.Int(Points, p.Points), seconds(took)}
	if p.Stats.Kind != "" {
		attrs = append(attrs, slog.String(Kind, p.Stats.Kind))
	}
	r.Say(MapPublished, fmt.Sprintf("map version %d (epoch %d) %s, %s%s", p.Version, p.Epoch, how, humanize.Plural(p.Points, "point"), Change(&p.Stats, took)), attrs...)
}

// Total logs a summary of the run.
func (r *Reporter) Total(took time.Duration) {
	placed, delivered, dead := r.placed.Load(), r.delivered.Load(), r.dead.Load()
	text := fmt.Sprintf("stopped after %s: %s placed, %s delivered", humanize.Span(took), humanize.Plural(placed, "event"), humanize.Plural(delivered, "message"))
	if dead > 0 {
		text += ", " + humanize.Plural(dead, "dead letter")
	}
	r.Say(Stopped, text, slog.Int64(Events, placed), slog.Int64(Messages, delivered), slog.Int64(Letters, dead), seconds(took))
}

func seconds(d time.Duration) slog.Attr { return slog.Float64(Seconds, d.Seconds()) }

func failure(err error) slog.Attr { return slog.String(Error, err.Error()) }

// about returns attributes for a rejected message: its position, the step and the reason, without
// repeating the position.
func about(m *stream.Message, stage stream.Stage, reason error) []slog.Attr {
	why := strings.TrimPrefix(reason.Error(), m.Where()+": ")
	return append(position(m.TopicPartition, m.Offset), slog.String(Stage, string(stage)), slog.String(Error, why))
}

// Change describes in a few words how a new map differs from the previous one.
func Change(f *stream.Stats, took time.Duration) string {
	if took == 0 || f.Kind == "" || f.Kind == "first" {
		return ""
	}
	text := fmt.Sprintf(", %s refresh: %s came, %s went, the others moved by %.2g / %.2g / %.2g %%",
		f.Kind, humanize.Count(f.Born), humanize.Count(f.Gone), f.Moves.Median, f.Moves.P90, f.Moves.P99)
	if f.Alarm == 1 {
		text += fmt.Sprintf("; alarm: %.2g%% of the last %s new points are strange", 100*f.Novel, humanize.Count(f.Judged))
	}
	if n := f.Newest; n.Alarm {
		text += fmt.Sprintf("; drift: the last %s were unlike the points before, level %.2g above %.2g", humanize.Plural(n.Window, "event"), n.Level, n.Bound)
	}
	return text
}

func lost(gap *stream.OffsetError) string {
	if n := gap.Lost(); n > 0 {
		return fmt.Sprintf("%s (%d to %d) deleted before they were read", humanize.Plural(n, "message"), gap.Offset, gap.First-1)
	}
	return "it was truncated or created again"
}
