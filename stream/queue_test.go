package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Partitions whose shares are far too small never deadlock. The total they hold is at most the
// limit, one message beyond it, and the response each may have begun.
func TestQueueNeverStandsStill(t *testing.T) {
	const limit, partitions, runs, largest = 1000, 8, 200, 3000
	rooms := NewQueue(limit, partitions)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var used, most atomic.Int64
	count := func(n int64) {
		now := used.Add(n)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
	}
	var all sync.WaitGroup
	for p, room := range rooms {
		delivered := make(chan int64, 2) // runs that are handed over, as in a runBuffer
		all.Go(func() {
			for n := range delivered {
				count(-n)
				room.Give(n)
			}
		})
		all.Go(func() {
			defer close(delivered)
			r := rand.New(rand.NewPCG(1, uint64(p)))
			take := func(n int64) {
				if err := room.Take(ctx, n); err != nil {
					t.Error(err)
				}
				count(n)
			}
			for range runs {
				// A window that is held during the whole response, then its messages.
				window := 1 + r.Int64N(largest/10)
				take(window)
				for range 1 + r.IntN(3) {
					n := 1 + r.Int64N(limit/10)
					if r.IntN(20) == 0 {
						n = largest
					}
					take(n)
					for more := int64(10); r.IntN(3) > 0 && room.Try(more); n += more {
						count(more)
					}
					room.Hand(n)
					delivered <- n
				}
				count(-window)
				room.Return(window)
			}
		})
	}
	all.Wait()
	q := rooms[0].q
	if q.used != 0 || q.moving != 0 || q.over != nil || len(q.line) != 0 {
		t.Errorf("in the end %+v", q)
	}
	if bound := int64(limit + largest + largest/10); most.Load() > bound {
		t.Errorf("%d bytes were taken at a time, the bound is %d", most.Load(), bound)
	}
	t.Logf("at most %d", most.Load())
}

// A waiting request ends with its context and takes nothing.
func TestQueueGivesUp(t *testing.T) {
	rooms := NewQueue(400, 2)
	if !rooms[0].Try(300) {
		t.Fatal("three quarters of the limit are not free")
	}
	rooms[0].Hand(300)
	why := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
	if err := rooms[1].Take(ctx, 1); err != why {
		t.Error(err)
	}
	if q := rooms[0].q; q.used != 300 || len(q.line) != 0 {
		t.Errorf("%d bytes are used and %d requests wait, want 300 and none", q.used, len(q.line))
	}
	rooms[0].Give(300)
	if !rooms[1].Try(300) || rooms[0].Try(1) {
		t.Error("what was given up is held")
	}
	if n := rooms[0].Answer(); n != leastAnswer {
		t.Errorf("an answer may take %d", n)
	}
	if n := NewQueue(64<<20, 8)[7].Answer(); n != 2<<20 {
		t.Errorf("an answer may take %d", n)
	}
	var none *Share
	if err := none.Take(ctx, 1<<40); err != nil || !none.Try(1<<40) || none.Answer() != 0 {
		t.Error("no share counts")
	}
	none.Hand(1)
	none.Return(1)
}

// BenchmarkQueue measures the cost of the queue for one run of messages.
func BenchmarkQueue(b *testing.B) {
	room := NewQueue(1<<30, 4)[0]
	for b.Loop() {
		for range 2 {
			if !room.Try(1000) {
				b.Fatal(fmt.Sprint(room.q.used))
			}
		}
		room.Hand(2000)
		room.Give(2000)
	}
}
