package streamtest

import (
	"errors"
	"strings"
	"time"

	"unfold/stream"
)

// transactional opens a transactional source with its own output topics.
func (b *bench) transactional() (source stream.Source, outputs, letters string) {
	b.Helper()
	outputs, letters = b.topic+"-out", b.topic+"-dlq"
	s, err := b.h.NewTransactional(b.ctx, b.topic, b.group, outputs, letters)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s, outputs, letters
}

// transact runs a transaction in a generation, and retries it as long as nothing was written.
func (b *bench) transact(g stream.Generation, t stream.Transaction) error {
	b.Helper()
	for {
		err := g.(stream.Transactional).Transact(b.ctx, t)
		if err == nil || errors.Is(err, stream.ErrRevoked) || b.ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (b *bench) values(topic string) (out []string) {
	b.Helper()
	for _, m := range b.h.Read(b.T, topic) {
		out = append(out, string(m.Value))
	}
	return out
}

func testTransaction(b *bench) {
	b.h.CreateTopic(b.T, b.topic+"-out", 1)
	b.h.CreateTopic(b.T, b.topic+"-dlq", 1)
	for p := range 2 {
		b.h.Produce(b.T, b.topic, p, numbers(0, 20, nil)...)
	}
	s, outputs, letters := b.transactional()
	g := b.next(s)
	for n := range int64(5) {
		t := stream.Transaction{Position: stream.Position{TopicPartition: b.tp(0), Offset: 2 * (n + 1)}, Outputs: numbers(int(2*n), int(2*n+1), []byte("k")), Letters: numbers(int(2*n+1), int(2*n+2), nil)}
		if err := b.transact(g, t); err != nil {
			b.Fatal(err)
		}
	}
	// A transaction may contain only a position.
	if err := b.transact(g, stream.Transaction{Position: stream.Position{TopicPartition: b.tp(1), Offset: 7}}); err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(g.Close(), s.Close()); err != nil {
		b.Fatal(err)
	}
	s, _, _ = b.transactional()
	for _, a := range b.next(s).Assigned() {
		if want := map[int]int64{0: 10, 1: 7}[a.Partition]; a.Offset != want {
			b.Errorf("the next owner of partition %d begins at %d, want %d", a.Partition, a.Offset, want)
		}
	}
	for topic, want := range map[string]string{outputs: "0 2 4 6 8", letters: "1 3 5 7 9"} {
		if got := strings.Join(b.values(topic), " "); got != want {
			b.Errorf("%s holds %s, want %s", topic, got, want)
		}
	}
}

// A transaction of an old owner is rejected completely after its partition was revoked.
func testStaleTransaction(b *bench) {
	b.h.CreateTopic(b.T, b.topic+"-out", 1)
	b.h.CreateTopic(b.T, b.topic+"-dlq", 1)
	for p := range 2 {
		b.h.Produce(b.T, b.topic, p, numbers(0, 50, nil)...)
	}
	s1, outputs, _ := b.transactional()
	old := b.next(s1)
	s2, _, _ := b.transactional()
	g1, g2 := b.share(s1, s2, old, 2)
	at := func(p int, offset int64) stream.Position {
		return stream.Position{TopicPartition: b.tp(p), Offset: offset}
	}
	for p := range 2 {
		t := stream.Transaction{Position: at(p, 1), Outputs: []stream.Message{{Value: []byte("stale")}}}
		if err := b.transact(old, t); !errors.Is(err, stream.ErrRevoked) {
			b.Errorf("a transaction in an old generation: %v", err)
		}
	}
	for _, g := range []stream.Generation{g1, g2} {
		t := stream.Transaction{Position: at(g.Assigned()[0].Partition, 50), Outputs: []stream.Message{{Value: []byte("fresh")}}}
		if err := b.transact(g, t); err != nil {
			b.Fatal(err)
		}
	}
	if got := strings.Join(b.values(outputs), " "); got != "fresh fresh" {
		b.Errorf("the topic holds %q", got)
	}
	// A cluster publishes the positions of a transaction shortly after its end.
	b.eventually("both positions are 50", func() bool {
		got := b.h.Committed(b.T, b.group, b.topic)
		return got[0] == 50 && got[1] == 50
	})
}

func testExactlyOnceRestarts(b *bench) { restarts(b, true) }

func testExactlyOnceSecondMember(b *bench) { secondMember(b, true) }
