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

// health knows what a stage waits for.
type health struct {
	mu sync.Mutex
	// troubles are what is being retried, by what it is.
	troubles map[string]trouble
	// good counts the messages that could be used so far, bad those that could not, of
	// which reason is the last one's.
	good, bad int
	reason    string
	// lost is when the share of the source was given back, zero while there is one.
	lost time.Time
	// topic is the source's. sole says that this process is to own all its partitions;
	// idle is since when it owns none, zero while it owns some.
	topic string
	sole  bool
	idle  time.Time
}

// trouble is a failure that is being waited out.
type trouble struct {
	what  string
	err   error
	since time.Time
	// attempt counts the failures.
	attempt int
}

// Groups of what is retried: what asks the source's brokers, and what hands on.
var (
	asking  = []string{"topic", "join", "fetch", "offsets", "committed offsets"}
	handing = []string{"write", "dead letter", "transaction", "commit"}
	// waiting is what another program has to end.
	waiting = []string{"open transaction"}
)

func newHealth() *health { return &health{troubles: map[string]trouble{}} }

// hooks note what goes wrong, and what goes on again.
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
			if len(tps) > 0 {
				h.over(0, asking...)
			} else {
				h.over(0, "join", "offsets", "committed offsets", "fetch") // there may be no topic
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

// over notes that so many more messages could be used, and what is no trouble any more.
func (h *health) over(good int, what ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.good += good
	for _, w := range what {
		delete(h.troubles, w)
	}
}

// share notes when the share of the source was given back; zero if there is one.
func (h *health) share(lost time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = lost
}

// owns notes how many partitions a share has.
func (h *health) owns(partitions int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if partitions > 0 {
		h.idle = time.Time{}
	} else if h.idle.IsZero() {
		h.idle = time.Now()
	}
}

// empty says that a process that is to own all partitions owns none, nil otherwise.
func (h *health) empty() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.sole || h.idle.IsZero() {
		return nil
	}
	return fmt.Errorf("no partition of topic %s is read since %s: the group has given none to its only member", h.topic, ago(h.idle))
}

// shareless is the error of a stage without a share of the source, with the time since when.
func (h *health) shareless() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost.IsZero() {
		return errors.New("no share of the source yet")
	}
	return fmt.Errorf("no share of the source since %s: the group's coordinator has not given one again so far", ago(h.lost))
}

// useless notes a message that could not be used. One that could be decoded was counted
// as good before.
func (h *health) useless(stage stream.Stage, reason error) {
	var skipped *stream.SkippedError
	if errors.As(reason, &skipped) {
		return // it has nothing that could be used
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bad++; stage == stream.StagePlace {
		h.good--
	}
	h.reason = reason.Error()
}

// trouble returns the oldest of some troubles, nil if there is none.
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

// useful returns a sentence if no message could be used so far, else "".
func (h *health) useful() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bad == 0 || h.good > 0 {
		return ""
	}
	return fmt.Sprintf("of %s read since the start none could be used, all are dead letters (a stage that learns passes them over); the last: %s", humanize.Plural(h.bad, "message"), cut(h.reason))
}

// once reports whether a trouble is one failure so far, and young: a connection whose session is
// over ends so, and the next one works.
func (t *trouble) once() bool { return t.attempt < 2 && time.Since(t.since) < moment }

// moment is how long the source may not be read, by who owns a share of it, before that
// is reported: a leader or a coordinator that moves takes about as long.
const moment = 3 * time.Second

// away returns why the source cannot be read, nil if it can be.
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

// still lists the partitions that stand still, and why; nil if none does.
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

// ago is a time of day and how long that is past.
func ago(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Format(time.TimeOnly), humanize.Span(time.Since(t).Round(time.Second)))
}

// mostText is how many bytes of an error's text a line may hold.
const mostText = 300

// cut shortens a text to what a line may hold, not within a character.
func cut(text string) string {
	if len(text) > mostText {
		return strings.ToValidUTF8(text[:mostText], "") + "..."
	}
	return text
}
