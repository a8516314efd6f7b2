package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A queue counts taken and moving bytes like plain sums, for any order of operations.
func TestQueueCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	const limit = 1000
	rooms := NewQueue(limit, 3)
	q := rooms[0].q
	var held [3]int64
	moving := int64(0)
	used := func() int64 { return held[0] + held[1] + held[2] + moving }
	for step := range 5000 {
		i := rng.IntN(3)
		room, n := rooms[i], rng.Int64N(300)
		switch rng.IntN(6) {
		case 0, 1:
			want := n <= 0 || used()+n <= q.limit
			if got := room.Try(n); got != want {
				t.Fatalf("step %d: %d of %d are taken, and %d more: %v", step, used(), q.limit, n, got)
			} else if got {
				held[i] += max(n, 0)
			}
		case 2:
			n = min(n, held[i])
			room.Return(n)
			held[i] -= n
		case 3:
			n = min(n, held[i])
			room.Hand(n)
			held[i], moving = held[i]-n, moving+n
		case 4:
			n = min(n, moving)
			room.Give(n)
			moving -= n
		case 5:
			if n = rng.Int64N(20); step%10 == 0 {
				room.Count(n)
				moving += n
			}
		}
		if q.used != used() || q.moving != moving || rooms[0].held != held[0] || rooms[1].held != held[1] || rooms[2].held != held[2] {
			t.Fatalf("step %d: %+v, want %d used, %d moving, %v held", step, q, used(), moving, held)
		}
	}
}

// Requests wait for moving bytes, in order, up to the last byte of the limit. When nothing is
// moving, the first request may exceed the limit, alone.
func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rooms := NewQueue(400, 3) // 300 of them are for messages
		var got []string
		take := func(i int, n int64) {
			go func() {
				if err := rooms[i].Take(t.Context(), n); err != nil {
					t.Error(err)
				}
				got = append(got, fmt.Sprint(i, ":", n))
			}()
			synctest.Wait()
		}
		want := func(when string, all ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(got, all) {
				t.Errorf("%s: %q, want %q", when, got, all)
			}
			got = nil
		}
		rooms[0].Try(100)
		rooms[0].Hand(100)
		take(1, 200)
		want("to the limit", "1:200")
		if rooms[0].q.over != nil {
			t.Error("the limit itself is beyond the limit")
		}
		take(2, 1)
		want("beyond it")
		if !rooms[0].Try(0) || rooms[0].Try(1) {
			t.Error("something is taken before who waits")
		}
		take(0, 50)
		rooms[0].Give(1)
		want("a byte is free", "2:1")
		rooms[1].Return(49)
		want("not enough")
		rooms[1].Return(1)
		want("enough", "0:50")
		take(2, 1000)
		want("much more, while something is on its way")
		rooms[0].Give(99)
		want("nothing is on its way", "2:1000")
		take(0, 10)
		take(2, 10)
		want("who is beyond goes on, others wait", "2:10")
		rooms[2].Return(1011)
		want("who was beyond has nothing", "0:10")
		if rooms[0].q.over != nil || len(rooms[0].q.line) != 0 {
			t.Errorf("%+v", rooms[0].q)
		}
	})
}

// The weight of a message is the size of its contents plus its overhead.
func TestWeights(t *testing.T) {
	m := Message{Key: []byte("key"), Value: []byte("value"), Headers: []Header{{"a", []byte("12")}, {"bc", nil}}}
	if m.size() != 3+5+1+2+2 || m.Overhead() != messageBytes+2*headerBytes || m.Weight() != int64(m.size())+m.Overhead() || (&Message{}).Weight() != messageBytes {
		t.Errorf("%d of size, %d beside it, %d in all", m.size(), m.Overhead(), m.Weight())
	}
	for i, c := range []struct {
		m    Message
		want bool
	}{{Message{Key: []byte{}}, true}, {Message{Key: []byte{}, Value: []byte{}}, false}, {Message{}, false}} {
		if c.m.Tombstone() != c.want {
			t.Errorf("message %d is a tombstone: %v", i, !c.want)
		}
	}
	twice := Message{Headers: []Header{{"a", []byte("1")}, {"b", nil}, {"a", []byte("2")}}}
	if v, ok := twice.Header("a"); !ok || string(v) != "2" {
		t.Errorf("%q, %v", v, ok)
	}
	if v, ok := twice.Header("b"); !ok || v != nil {
		t.Errorf("%q, %v", v, ok)
	}
	if _, ok := twice.Header("c"); ok {
		t.Error("there is a header c")
	}
	s := Settings{BatchMessages: 3, BatchBytes: 10}
	of := func(sizes ...int) (all []Message) {
		for _, n := range sizes {
			all = append(all, Message{Value: make([]byte, n)})
		}
		return all
	}
	for _, c := range []struct {
		sizes []int
		want  int
	}{{nil, 0}, {[]int{1}, 1}, {[]int{1, 1, 1}, 3}, {[]int{1, 1, 1, 1}, 3}, {[]int{5, 5}, 2}, {[]int{5, 6}, 1}, {[]int{11, 1}, 1}, {[]int{50}, 1}, {[]int{0, 10, 1}, 2}} {
		if got := s.batch(of(c.sizes...)); got != c.want {
			t.Errorf("%v: a batch of %d, want %d", c.sizes, got, c.want)
		}
	}
}

// Settings have their defaults where they are 0, and only there.
func TestDefaults(t *testing.T) {
	want := Settings{BatchMessages: 512, BatchBytes: 4 << 20, Linger: 5 * time.Millisecond, QueueBytes: 64 << 20, WaitingBytes: 256 << 20, WorkBytes: 256 << 20,
		DecodeTime: 30 * time.Second, CommitEvery: 500 * time.Millisecond, LagEvery: 5 * time.Second, LagTimeout: 10 * time.Second,
		RetryMin: 100 * time.Millisecond, RetryMax: 5 * time.Second, DrainTimeout: 4 * time.Second, CommitTimeout: 3 * time.Second}
	if got, err := (Settings{}).withDefaults(false); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	want.BatchMessages = 4096
	if got, err := (Settings{}).withDefaults(true); err != nil || got != want {
		t.Errorf("exactly once: %+v, %v", got, err)
	}
	own := Settings{1, 2, -3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 13, 14}
	for _, exactlyOnce := range []bool{false, true} {
		if got, err := own.withDefaults(exactlyOnce); err != nil || got != own {
			t.Errorf("%+v, %v", got, err)
		}
	}
	v := reflect.ValueOf(&own).Elem()
	for i := range v.NumField() {
		name, was := v.Type().Field(i).Name, v.Field(i).Int()
		if name == "Linger" {
			continue
		}
		v.Field(i).SetInt(-1)
		if _, err := own.withDefaults(false); err == nil {
			t.Errorf("%s may be negative", name)
		}
		v.Field(i).SetInt(was)
	}
	own.RetryMax = own.RetryMin - 1
	if _, err := own.withDefaults(false); err == nil {
		t.Error("the longest pause is shorter than the shortest")
	}
}

// A budget blocks requests that do not fit, up to the last byte, unless nothing else is reserved.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100)
		done := 0
		reserve := func(n int64) {
			go func() {
				if err := b.reserve(t.Context(), n); err != nil {
					t.Error(err)
				}
				done++
			}()
			synctest.Wait()
		}
		for _, c := range []struct {
			do   func()
			used int64
			done int
		}{
			{func() { reserve(60) }, 60, 1},
			{func() { reserve(40) }, 100, 2},
			{func() { reserve(1) }, 100, 2},
			{func() { b.free(1) }, 100, 3},
			{func() { reserve(500) }, 100, 3},
			{func() { b.free(99) }, 1, 3},
			{func() { b.free(1) }, 500, 4},
			{func() { b.free(450) }, 50, 4},
			{func() {
				if b.fits(51) || !b.fits(50) || b.fits(1) {
					t.Error("what fits does not, or what does not fits")
				}
			}, 100, 4},
		} {
			c.do()
			if synctest.Wait(); b.used != c.used || done != c.done {
				t.Fatalf("%d used, %d done; want %d and %d", b.used, done, c.used, c.done)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.reserve(ctx, 1); !errors.Is(err, context.DeadlineExceeded) || b.used != 100 {
			t.Errorf("%v, %d used", err, b.used)
		}
	})
}

// A request that is cancelled does not block those behind it.
func TestQueueGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rooms := NewQueue(400, 3)
		rooms[0].Try(200)
		rooms[0].Hand(200)
		ctx, cancel := context.WithCancel(t.Context())
		taken := false
		go func() {
			if err := rooms[1].Take(ctx, 200); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		synctest.Wait()
		go func() {
			if err := rooms[2].Take(t.Context(), 50); err != nil {
				t.Error(err)
			}
			taken = true
		}()
		synctest.Wait()
		if taken {
			t.Error("who came later goes first")
		}
		cancel()
		if synctest.Wait(); !taken {
			t.Error("who is behind one that gave up waits for ever")
			rooms[0].Give(200)
		}
	})
}
