package stream_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// staleSource has a first generation whose commits are refused because the group has a newer one,
// although nothing has ended it yet.
type staleSource struct {
	stream.Source
	generations, refused *atomic.Int64
}

func (s staleSource) Next(ctx context.Context) (stream.Generation, error) {
	g, err := s.Source.Next(ctx)
	if err == nil && s.generations.Add(1) == 1 {
		return staleGeneration{g, s.refused}, nil
	}
	return g, err
}

type staleGeneration struct {
	stream.Generation
	refused *atomic.Int64
}

func (g staleGeneration) Commit(context.Context, []stream.Position) error {
	g.refused.Add(1)
	return stream.ErrRevoked
}

// A commit that is refused because the generation is over ends it: the stage goes on with the next
// one, in which everything is committed.
func TestRefusedCommitEndsTheGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(1)
		b.Append("in", 0, stream.Message{Value: []byte("1")}, stream.Message{Value: []byte("2")})
		p := start(t, b, &streamtest.Learner{})
		source := staleSource{p.source, new(atomic.Int64), new(atomic.Int64)}
		p.pipeline.Source = source
		running := p.run(t)
		running.Await("all is committed", func() bool { return committed(b) == 2 })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		if n := source.generations.Load(); n != 2 || source.refused.Load() == 0 {
			t.Errorf("%d generations, %d commits refused", n, source.refused.Load())
		}
	})
}
