package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"unfold/cmd/internal/human"
	"unfold/stream"
	"unfold/stream/announce"
)

// stageLog tells in plain lines what a running stage does. Of lines that may come
// in floods there is at most one a second for each kind, with how many it stands
// for.
type stageLog struct {
	mu     sync.Mutex
	w      io.Writer
	now    func() time.Time
	floods map[string]*flood

	placed, dead, messages int64
}

// flood is a kind of line that is held back.
type flood struct {
	last time.Time
	held int
}

func newLog(w io.Writer) *stageLog {
	return &stageLog{w: w, now: time.Now, floods: map[string]*flood{}}
}

// say writes a line.
func (l *stageLog) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line(fmt.Sprintf(format, args...))
}

func (l *stageLog) line(text string) {
	fmt.Fprintf(l.w, "%s %s\n", l.now().Format("2006-01-02 15:04:05"), strings.ReplaceAll(text, "\n", " "))
}

// often writes a line of a kind that may come in floods.
func (l *stageLog) often(kind, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.floods[kind]
	if f == nil {
		f = &flood{}
		l.floods[kind] = f
	}
	if now := l.now(); now.Sub(f.last) >= time.Second {
		text := fmt.Sprintf(format, args...)
		if f.held > 0 {
			text += fmt.Sprintf(" (and %s more of this kind before)", human.Count(f.held))
		}
		f.last, f.held = now, 0
		l.line(text)
		return
	}
	f.held++
}

// hooks tell the log what happens.
func (l *stageLog) hooks() stream.Hooks {
	return stream.Hooks{
		Assigned: func(tps []stream.TopicPartition) {
			l.say("reading %s%s", human.Plural(len(tps), "partition"), names(tps))
		},
		Revoked: func(tps []stream.TopicPartition) { l.say("gave back %s", human.Plural(len(tps), "partition")) },
		Placed: func(_ stream.TopicPartition, n int, _ time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.placed += int64(n)
		},
		Delivered: func(_ stream.TopicPartition, n, _ int, _ time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.messages += int64(n)
		},
		DeadLettered: func(m stream.Message, stage stream.Stage, reason error) {
			l.mu.Lock()
			l.dead++
			l.mu.Unlock()
			l.often("dead"+string(stage), "dead letter: %s", located(&m, reason))
		},
		PassedOver: func(m stream.Message, stage stream.Stage, reason error) {
			l.often("passed"+string(stage), "not learnt from: %s", located(&m, reason))
		},
		Gap: func(gap *stream.OffsetError) {
			l.say("GAP in %s: the group's position was %d, the topic holds %d to %d; %s", gap.TopicPartition, gap.Position, gap.First, gap.End-1, lost(gap))
		},
		Retrying: func(what string, attempt int, err error, pause time.Duration) {
			l.often("retry"+what, "%s failed, attempt %d, again in %s: %v", what, attempt, human.Span(pause), err)
		},
		Published: func(p *stream.Published, took time.Duration) {
			how := "loaded"
			if took > 0 {
				how = "learnt in " + human.Span(took)
			}
			l.say("map version %d (epoch %d) %s, %s%s", p.Version, p.Epoch, how, human.Plural(p.Points, "point"), change(&p.Figures, took))
		},
		RefreshFailed: func(err error) { l.often("refresh", "no new map: %v", err) },
	}
}

// fleet are hooks that tell the log of maps that come and go.
func (l *stageLog) fleet() announce.Hooks {
	return announce.Hooks{
		Announced: func(a announce.Announcement, took time.Duration) {
			l.say("map version %d (epoch %d) announced, %s, after %s", a.Version, a.Epoch, human.Bytes(a.Bytes), human.Span(took))
		},
		Refused: func(a announce.Announcement, why string, err error) {
			l.say("map version %d REFUSED (%s), the one before stays: %v", a.Version, why, err)
		},
		Malformed: func(m stream.Message, err error) { l.often("malformed", "passed over: %v", err) },
		Retrying: func(what string, attempt int, err error, pause time.Duration) {
			l.often("retry"+what, "%s failed, attempt %d, again in %s: %v", what, attempt, human.Span(pause), err)
		},
	}
}

// change says in a few words what a map that was just learnt is to those who look at
// the one before.
func change(f *stream.Figures, took time.Duration) string {
	if took == 0 || f.Kind == "" || f.Kind == "first" {
		return ""
	}
	text := fmt.Sprintf(", %s refresh: %s came, %s went, the others moved by %.2g / %.2g / %.2g %%",
		f.Kind, human.Count(f.Born), human.Count(f.Gone), f.Moves.Median, f.Moves.P90, f.Moves.P99)
	if f.Alarm == 1 {
		text += fmt.Sprintf("; alarm: %.2g%% of the last %s new points are strange", 100*f.Novel, human.Count(f.Judged))
	}
	return text
}

func lost(gap *stream.OffsetError) string {
	if n := gap.Lost(); n > 0 {
		return fmt.Sprintf("%s (%d to %d) deleted before they were read", human.Plural(n, "message"), gap.Position, gap.First-1)
	}
	return "it was truncated or made anew"
}

// located is why a message was given up, and where it lay if the reason does not say.
func located(m *stream.Message, reason error) string {
	if where := m.Where() + ": "; !strings.HasPrefix(reason.Error(), where) {
		return where + reason.Error()
	}
	return reason.Error()
}

// total sums the run up.
func (l *stageLog) total(took time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf("stopped after %s: %s placed, %s delivered", human.Span(took), human.Plural(l.placed, "event"), human.Plural(l.messages, "message"))
	if l.dead > 0 {
		text += ", " + human.Plural(l.dead, "dead letter")
	}
	return text
}

// names lists partitions, as far as they fit a line.
func names(tps []stream.TopicPartition) string {
	const most = 8
	if len(tps) == 0 {
		return ""
	}
	parts := make([]string, 0, most+1)
	for i, tp := range tps {
		if i == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, tp.String())
	}
	return ": " + strings.Join(parts, " ")
}
