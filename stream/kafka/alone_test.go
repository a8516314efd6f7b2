package kafka_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// solitary returns settings of a member that must be alone in its group, with the shortest session
// that an Apache Kafka allows.
func (c *cluster) solitary(topic, who string) kafka.SourceSettings {
	s := c.quick(topic, "alone")
	s.Alone, s.Who, s.SessionTimeout = true, who, 6*time.Second
	return s
}

// A second member of a group with exclusive use is refused, whatever its settings, once the first
// could not be a dead one. The first is not disturbed.
func TestAlone(t *testing.T) {
	t.Parallel()
	testAlone(t, newFake(t))
}

func testAlone(t *testing.T, c *cluster) {
	topic := topicFor(t, c, 2, nil)
	first, gen := open(t, c.solitary(topic, "the first one"))
	if n := len(gen.Assigned()); n != 2 {
		t.Fatalf("who is alone has %d of 2 partitions", n)
	}
	var wg sync.WaitGroup
	for _, alone := range []bool{true, false} {
		s := c.solitary(topic, "another")
		s.Alone = alone
		wg.Go(func() {
			begun := time.Now()
			refuse(t, s, "the first one")
			if d := time.Since(begun); d < s.SessionTimeout {
				t.Errorf("alone %v: it was refused after %v: the first could have been dead", alone, d)
			}
		})
	}
	wg.Wait()
	select {
	case <-gen.Revoked():
		t.Error("the first had to join again")
	default:
	}

	// After the first has left, another may join at once.
	begun, next := time.Now(), make(chan error, 1)
	s := c.solitary(topic, "the next one")
	waiting := make(chan struct{})
	once := sync.OnceFunc(func() { close(waiting) })
	s.Retrying = func(_ string, _ int, err error, _ time.Duration) {
		if taken := new(kafka.OccupiedError); errors.As(err, &taken) {
			once()
		}
	}
	source, err := kafka.NewSource(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	go func() {
		_, err := source.Next(t.Context())
		next <- err
	}()
	<-waiting
	if err := errors.Join(gen.Close(), first.Close()); err != nil {
		t.Fatal(err)
	}
	if err := <-next; err != nil {
		t.Errorf("after %v the next one is refused: %v", time.Since(begun), err)
	}
}

// refuse joins with settings and expects a refusal because of the other members.
func refuse(t *testing.T, s kafka.SourceSettings, who string) {
	source, err := kafka.NewSource(t.Context(), s)
	if err != nil {
		t.Error(err)
		return
	}
	defer source.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	gen, err := source.Next(ctx)
	taken := new(kafka.OccupiedError)
	if !errors.As(err, &taken) || len(taken.Members) != 1 || taken.Members[0].Who != who || taken.Members[0].String() != who {
		t.Errorf("alone %v: generation %v, %v", s.Alone, gen, err)
	}
}

// A member with exclusive use does not join others.
func TestAloneAmongOthers(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 2, nil)
	s := c.solitary(topic, "one of many")
	s.Alone = false
	_, gen := open(t, s)
	late := c.solitary(topic, "the late one")
	source, err := kafka.NewSource(t.Context(), late)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	taken := new(kafka.OccupiedError)
	if _, err := source.Next(t.Context()); !errors.As(err, &taken) || len(taken.Members) != 1 || taken.Members[0].Client == "" {
		t.Errorf("it is let in: %v", err)
	}
	if len(gen.Assigned()) != 2 {
		t.Errorf("the other has %v", gen.Assigned())
	}
}

// Of several that start at once exactly one gets the group.
func TestAloneAtOnce(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 2, nil)
	for range 5 {
		const many = 4
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		in := make(chan stream.Generation, many)
		refused := make(chan struct{}, 1000)
		for range many {
			s := c.solitary(topic, "one of them")
			s.Retrying = func(string, int, error, time.Duration) { refused <- struct{}{} }
			source, err := kafka.NewSource(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				defer source.Close()
				if gen, err := source.Next(ctx); err == nil {
					in <- gen
					<-ctx.Done()
				}
			})
		}
		streamtest.Await(t, "the others are refused", func() bool { return len(refused) >= 3*many })
		if len(in) != 1 {
			t.Errorf("%d have the group", len(in))
		}
		cancel()
		wg.Wait()
	}
}
