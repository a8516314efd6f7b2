package kafka

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"unfold/stream"
)

// A cause that blocks reading is reported after a time, and again after as long. Its end is
// reported if the cause was.
func TestBlockedIsReportedNowAndThen(t *testing.T) {
	f, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := connect(t.Context(), Cluster{Brokers: f.ListenAddrs()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	var attempts []int
	ended := 0
	g := &generation{source: &Source{link: l, settings: SourceSettings{BlockedAfter: time.Hour,
		Retrying: func(what string, attempt int, err error, pause time.Duration) {
			attempts = append(attempts, attempt)
			var e *BlockedError
			if !errors.As(err, &e) || what != blockedTrouble || e.Offset != 7 || e.Producer != -1 || pause != time.Hour {
				t.Errorf("%s, attempt %d: %v", what, attempt, err)
			}
		},
		Recovered: func(what string) {
			if ended++; what != blockedTrouble {
				t.Errorf("%s has ended", what)
			}
		}}}}
	// In a missing topic no producer can be named.
	c := &cursor{tp: stream.TopicPartition{Topic: "absent"}, next: 7}
	for i, step := range []struct {
		passes        time.Duration
		held          bool
		reports, ends int
	}{
		{0, false, 0, 0}, {0, true, 0, 0}, {59 * time.Minute, true, 0, 0}, {2 * time.Minute, true, 1, 0}, {0, true, 1, 0}, {59 * time.Minute, true, 1, 0},
		{2 * time.Minute, true, 2, 0}, {0, false, 2, 1}, {0, false, 2, 1}, {0, true, 2, 1}, {0, false, 2, 1},
	} {
		if !c.blocked.named.IsZero() {
			c.blocked.named, c.blocked.since = c.blocked.named.Add(-step.passes), c.blocked.since.Add(-step.passes)
		}
		if g.noteBlocked(t.Context(), c, step.held); len(attempts) != step.reports || ended != step.ends {
			t.Errorf("step %d: %d reports, %d ends; want %d, %d", i, len(attempts), ended, step.reports, step.ends)
		}
		if c.blocked.since.IsZero() == step.held {
			t.Errorf("step %d: blocked since %v", i, c.blocked.since)
		}
	}
	if attempts[len(attempts)-1] != 2 {
		t.Errorf("attempts %v", attempts)
	}
}
