package backoff

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

func TestPausesDouble(t *testing.T) {
	for name, c := range map[string]struct {
		p    Pauses
		want []time.Duration // after 1, 2, ... failures
	}{
		"to a power":       {Pauses{100, 800}, []time.Duration{100, 200, 400, 800, 800, 800}},
		"to something odd": {Pauses{100, 500}, []time.Duration{100, 200, 400, 500, 500}},
		"not at all":       {Pauses{7, 7}, []time.Duration{7, 7, 7}},
		"near the end":     {Pauses{math.MaxInt64 / 3, math.MaxInt64}, []time.Duration{math.MaxInt64 / 3, math.MaxInt64 / 3 * 2, math.MaxInt64, math.MaxInt64}},
	} {
		for k, want := range c.want {
			if got := c.p.After(k + 1); got != want {
				t.Errorf("%s: after %d failures %d, want %d", name, k+1, got, want)
			}
		}
		if got := c.p.After(1 << 40); got != c.p.Most {
			t.Errorf("%s: in the end %d, want %d", name, got, c.p.Most)
		}
	}
}

func TestWait(t *testing.T) {
	if err := Wait(t.Context(), time.Microsecond); err != nil {
		t.Error(err)
	}
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := Wait(ctx, time.Hour); !errors.Is(err, why) {
		t.Errorf("%v, want the cause", err)
	}
	more := make(chan struct{}, 1)
	more <- struct{}{}
	if err := WaitFor(t.Context(), time.Hour, more); err != nil {
		t.Error(err)
	}
}
