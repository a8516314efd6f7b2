package stage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/stream"
	"unfold/stream/kafka"
)

// health tracks what a stage waits for.
type health struct {
	mu sync.Mutex
	// troubles are the failures that are being retried, by operation.
	troubles map[string]trouble
	// good counts the messages that were usable so far, bad the others. reason is the error of the
	// last bad message.
	good, bad int
	reason    string
	// lost is the time at which the partitions were revoked, zero while the process has an
	// assignment.
	lost time.Time
	// topic is the source topic. sole is set if this process should own all its partitions. idle is
	// the time since which it owns none, zero while it owns some.
	topic string
	sole  bool
	idle  time.Time
}

// trouble is a failure that is being retried.
type trouble struct {
	what    string
	err     error
	since   time.Time
	attempt int
}

// Operations that are retried, by group: requests to the source's brokers, and writes of results.
var (
	asking  = []string{"topic", "join", "fetch", "offsets", "committed offsets"}
	handing = []string{"write", "dead letter", "transaction", "commit"}
	// waiting are operations that another program has to finish.
	waiting = []string{"open transaction"}
)

func newHealth() *health { return &health{troubles: map[string]trouble{}} }

// hooks returns hooks that record failures and recoveries.
func (h *health) hooks() stream.Hooks {
	return stream.Hooks{
		Retrying: func(what string, attempt int, err error, _ time.Duration) {
			h.mu.Lock()
			defer h.mu.Unlock()
			t, known := h.troubles[what]
			if !known || attempt == 1 {
				t.since = time.Now()
			}
			h.troubles[what] = trouble{what, err, t.since, attempt}
		},
		Assigned: func(tps []stream.TopicPartition) {
			h.share(time.Time{})
			h.owns(len(tps))
			h.over(0, waiting...) // reported again if it still blocks a partition of this process
			if len(tps) > 0 {
				h.over(0, asking...)
			} else {
				h.over(0, "join", "offsets", "committed offsets", "fetch") // the trouble "topic" remains: the topic may not exist
			}
		},
		Recovered: func(what string) { h.over(0, what) },
		Revoked:   func([]stream.TopicPartition) { h.share(time.Now()) },
		Fetched:   func(stream.TopicPartition, int) { h.over(0, "fetch") },
		Lag:       func(stream.TopicPartition, int64) { h.over(0, asking...) },
		EventsIn:  func(stream.TopicPartition, int) { h.over(1) },
		Committed: func(stream.Position) { h.over(0, "commit") },
		Delivered: func(stream.TopicPartition, int, int, time.Duration) { h.over(0, "write", "transaction") },
		DeadLettered: func(_ stream.Message, stage stream.Stage, reason error) {
			h.useless(stage, reason)
			h.over(0, "dead letter", "transaction")
		},
		Skipped: func(_ stream.Message, stage stream.Stage, reason error) { h.useless(stage, reason) },
	}
}

// over counts usable messages and removes troubles that have ended.
func (h *health) over(good int, what ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.good += good
	for _, w := range what {
		delete(h.troubles, w)
	}
}

// share records the time at which the partitions were revoked, or zero if there is an assignment.
func (h *health) share(lost time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = lost
}

// owns records the number of assigned partitions.
func (h *health) owns(partitions int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if partitions > 0 {
		h.idle = time.Time{}
	} else if h.idle.IsZero() {
		h.idle = time.Now()
	}
}

// empty returns an error if a process that should own all partitions owns none.
func (h *health) empty() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.sole || h.idle.IsZero() {
		return nil
	}
	return fmt.Errorf("no partition of topic %s is read since %s: the group has given none to its only member", h.topic, ago(h.idle))
}

// shareless returns an error with the time of revocation if the stage has no assignment.
func (h *health) shareless() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost.IsZero() {
		return errors.New("no share of the source yet")
	}
	return fmt.Errorf("no share of the source since %s: the group's coordinator has not given one again so far", ago(h.lost))
}

// useless counts an unusable message. If it was decoded, it was counted as usable before.
func (h *health) useless(stage stream.Stage, reason error) {
	var skipped *stream.SkippedError
	if errors.As(reason, &skipped) {
		return // skipped messages have no events
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bad++; stage == stream.StagePlace {
		h.good--
	}
	h.reason = reason.Error()
}

// trouble returns the oldest of the given troubles, nil if there is none.
func (h *health) trouble(of []string) (oldest *trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for what, t := range h.troubles {
		if slices.Contains(of, what) && (oldest == nil || t.since.Before(oldest.since)) {
			oldest = &t
		}
	}
	return oldest
}

// useful returns a sentence if no message was usable so far, otherwise "".
func (h *health) useful() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bad == 0 || h.good > 0 {
		return ""
	}
	return fmt.Sprintf("of %s read since the start none could be used, all are dead letters (a stage that learns passes them over); the last: %s", humanize.Plural(h.bad, "message"), cut(h.reason))
}

// once reports whether a trouble is recent and failed only once. The end of a connection's session
// looks like this, and the next connection works.
func (t *trouble) once() bool { return t.attempt < 2 && time.Since(t.since) < moment }

// moment is the time for which a process with partitions may fail to read the source before that is
// reported. Moving a leader or a coordinator takes about as long.
const moment = 3 * time.Second

// away returns the reason why the source cannot be read, nil if it can.
func (h *health) away(brokers []string, owning bool) error {
	t := h.trouble(asking)
	if t == nil || owning && time.Since(t.since) < moment {
		return nil
	}
	if taken := new(kafka.OccupiedError); errors.As(t.err, &taken) {
		return fmt.Errorf("no share of the source since %s: %w", ago(t.since), taken)
	}
	if t.once() {
		return nil
	}
	if denied := new(kafka.DeniedError); errors.As(t.err, &denied) {
		return fmt.Errorf("the source cannot be read since %s: %s failed: %s", ago(t.since), t.what, cut(t.err.Error()))
	}
	if errors.Is(t.err, stream.ErrUnknownTopic) {
		return fmt.Errorf("nothing is read since %s: %w", ago(t.since), t.err)
	}
	return fmt.Errorf("the source's brokers, %s, are away since %s: %s failed: %s", strings.Join(brokers, ", "), ago(t.since), t.what, cut(t.err.Error()))
}

// still returns an error that lists the stalled partitions with reasons, nil if there are none.
func (h *health) still(list []stream.Standing) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b stream.Standing) int { return a.Since.Compare(b.Since) })
	const most = 4
	var parts []string
	for i, s := range list {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("topic %s, partition %d, since %s with %s ahead", s.Topic, s.Partition, ago(s.Since), humanize.Plural(s.Ahead, "message")))
	}
	why := "it is not known why: no failure was reported"
	if t := h.trouble(waiting); t != nil {
		why = t.err.Error()
	}
	if t := h.trouble(slices.Concat(handing, asking)); t != nil {
		why = fmt.Sprintf("%s has failed since %s: %s", t.what, ago(t.since), cut(t.err.Error()))
	}
	return fmt.Errorf("nothing moves in %s; %s", strings.Join(parts, "; "), why)
}

// ago formats a time with the duration since then.
func ago(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Format(time.TimeOnly), humanize.Span(time.Since(t).Round(time.Second)))
}

// mostText is the most bytes of an error's text in a line.
const mostText = 300

// cut shortens a text to mostText bytes without splitting a character.
func cut(text string) string {
	if len(text) > mostText {
		return strings.ToValidUTF8(text[:mostText], "") + "..."
	}
	return text
}
