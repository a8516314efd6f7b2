package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/fit"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// batchOf returns a message of vectors with ids.
func batchOf(t testing.TB, offset int64, ids []int64, x vec.Matrix[float32]) stream.Message {
	t.Helper()
	class := make([]string, x.Rows)
	records, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.StringColumn("class", class), table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	v, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return stream.Message{TopicPartition: tp, Offset: offset, Key: []byte("batch"), Value: v}
}

func tombstone(offset int64, id string) stream.Message {
	return stream.Message{TopicPartition: tp, Offset: offset, Key: []byte(id)}
}

// finite fails unless the newest map is finite and places events.
func finite(t testing.TB, l *Learner) {
	t.Helper()
	for i, v := range l.Snapshot().Mu.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("place %d of version %d is %v", i, l.Current().Version, v)
		}
	}
	e := decode(t, l, batchOf(t, 0, []int64{0}, l.ref.Matrix().Slice(0, 1).Clone()))
	if out := place(t, l.Current(), e); out[0].Err != nil {
		t.Fatalf("version %d does not place: %v", l.Current().Version, out[0].Err)
	}
}

// Events replace and delete each other, before the first map and after, also within one message.
func TestUpsertsAndTombstones(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for _, first := range []int{0, 60} { // the number of events for the first map
		s := quick()
		l := newLearner(t, s)
		stop := running(t, l)
		offset := int64(0)
		send := func(m func(offset int64) stream.Message) {
			offer(t, l, m(offset))
			offset++
		}
		shift := func(m stream.Message, o int64) stream.Message { m.Offset = o; return m }
		fill10 := func(n int) {
			for range n / 10 {
				send(func(o int64) stream.Message { return shift(message(t, rng, 10, 3, 1000+o), o) })
			}
		}
		fill10(first)
		if first > 0 {
			waitReady(t, l)
		}
		send(func(o int64) stream.Message {
			return batchOf(t, o, []int64{1, 2, 1, 3}, vec.Of(4, 3, []float32{9, 9, 9, 8, 8, 8, 7, 7, 7, 8, 8, 8}))
		})
		send(func(o int64) stream.Message { return tombstone(o, "2") })
		send(func(o int64) stream.Message { return tombstone(o, "no such event") })
		send(func(o int64) stream.Message {
			return batchOf(t, o, []int64{4, 5}, vec.Of(2, 3, []float32{5, 5, 5, 6, 6, 6}))
		})
		send(func(o int64) stream.Message { return tombstone(o, "4") })
		if first == 0 {
			fill10(60)
			waitReady(t, l)
		}
		stop()
		if first > 0 {
			if err := l.refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		c := l.ref.Counts()
		if c.Upserts != 1 || c.Duplicates != 1 || c.Deletes != 2 || c.UnknownDeletes != 1 {
			t.Errorf("first %d: %+v", first, c)
		}
		var got []string
		for p := range l.ref.All() {
			if x := l.ref.Vector(p); x[0] == x[1] && x[1] == x[2] {
				got = append(got, fmt.Sprint(x[0], l.ref.IDs(p), l.ref.Count(p)))
			}
		}
		slices.Sort(got)
		if want := []string{"6 [5] 1", "7 [1] 1", "8 [3] 1"}; !slices.Equal(got, want) {
			t.Errorf("first %d: the set holds %v, want %v", first, got, want)
		}
		// The map holds exactly these.
		snap := l.Snapshot()
		for _, gone := range []float32{9, 5} {
			for i := range snap.Reference.Rows {
				if x := snap.Reference.Row(i); x[0] == gone && x[1] == gone {
					t.Errorf("first %d: the map holds %v, which is no more", first, x)
				}
			}
		}
		if f := l.Current().Stats; first > 0 && (f.Upserts != 1 || f.UnknownDeletes != 1) {
			t.Errorf("stats %+v", f)
		}
		finite(t, l)
	}
}

// A tombstone passes the stage as a message with its key and a null value.
func TestTombstonesPass(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	b := newBroker()
	l := newLearner(t, quick())
	p, source, _ := pipeline(t, b, l)
	for o := range int64(6) {
		b.Append("in", 0, message(t, rng, 10, 4, o))
	}
	b.Append("in", 0, stream.Message{Key: []byte("503")}, stream.Message{Key: []byte("77777")}, stream.Message{})
	running := streamtest.Go(t, func(ctx context.Context) error { return errors.Join(p.Run(ctx), source.Close()) })
	running.Await("all is committed", func() bool { return committed(b) == 9 })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	log := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}
	c, err := log.Check()
	if err != nil || c.Placed != 8 || c.Letters != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	var null []string
	for _, m := range log.Out {
		if m.Value == nil {
			null = append(null, string(m.Key))
		}
	}
	slices.Sort(null)
	if !slices.Equal(null, []string{"503", "77777"}) {
		t.Errorf("tombstones of %v came out", null)
	}
	if n := l.ref.Counts(); n.Deletes != 1 || n.UnknownDeletes != 1 || l.ref.Len() != 59 {
		t.Errorf("%d points, %+v", l.ref.Len(), n)
	}
}

// Streams without information or with absurd values, on a good map: the map stays finite, events
// are placed, counters count, and nothing stops.
func TestOddStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 1))
	id := int64(1 << 40)
	ids := func(n int) []int64 {
		out := make([]int64, n)
		for i := range out {
			id++
			out[i] = id
		}
		return out
	}
	fill := func(n int, v func(i, k int) float32) vec.Matrix[float32] {
		x := vec.New[float32](n, 4)
		for i := range n {
			for k := range 4 {
				x.Row(i)[k] = v(i, k)
			}
		}
		return x
	}
	normal := func(int, int) float32 { return float32(rng.NormFloat64()) }
	for name, batch := range map[string]func(round int) vec.Matrix[float32]{
		"one point repeated": func(int) vec.Matrix[float32] { return fill(20, func(i, k int) float32 { return float32(k) }) },
		"constant vectors":   func(r int) vec.Matrix[float32] { return fill(20, func(i, k int) float32 { return float32(r) }) },
		"a dimension of zeros": func(int) vec.Matrix[float32] {
			return fill(20, func(i, k int) float32 { return normal(i, k) * float32(min(k, 1)) })
		},
		"all zeros": func(int) vec.Matrix[float32] { return fill(20, func(i, k int) float32 { return 0 }) },
		"outliers": func(r int) vec.Matrix[float32] {
			return fill(20, func(i, k int) float32 {
				if i == r {
					return 1e30
				}
				return normal(i, k)
			})
		},
		"far outliers in every direction": func(r int) vec.Matrix[float32] {
			return fill(20, func(i, k int) float32 {
				if i < 3 {
					return normal(i, k) * 1e30
				}
				return normal(i, k)
			})
		},
		"the largest numbers": func(r int) vec.Matrix[float32] {
			return fill(20, func(i, k int) float32 {
				if i == 4 {
					return math.MaxFloat32
				}
				return normal(i, k)
			})
		},
		"lines": func(r int) vec.Matrix[float32] { return fill(20, func(i, k int) float32 { return float32(20*r + i) }) },
		"tiny": func(r int) vec.Matrix[float32] {
			return fill(20, func(i, k int) float32 { return normal(i, k) * 1e-30 })
		},
	} {
		for _, pca := range []int{fit.PCANone, 3} {
			t.Run(fmt.Sprint(name, ", pca ", pca), func(t *testing.T) {
				s := quick()
				s.Size, s.State, s.Spec.PCA = 80, t.TempDir(), pca
				l, next, stop := started(t, s, rng, 4)
				stop()
				failures := 0
				for round := range 14 {
					e := decode(t, l, batchOf(t, next, ids(20), batch(round)))
					next++
					if o := place(t, l.Current(), e)[0]; o.Err != nil {
						if name != "the largest numbers" {
							t.Errorf("round %d is not placed: %v", round, o.Err)
						}
					}
					if err := l.Offer(context.Background(), e); err != nil {
						t.Fatal(err)
					}
					if l.due() {
						if err := l.refresh(context.Background()); err != nil {
							failures++
							t.Logf("round %d: %v", round, err)
						}
					}
					finite(t, l)
				}
				t.Logf("%d versions, %d failures, %d points, %+v", l.Current().Version, failures, l.Current().Points, l.ref.Counts())
				if l.Current().Version == 1 {
					t.Error("nothing was learnt")
				}
				if failures > 0 {
					t.Errorf("%d refreshes failed", failures)
				}
				finite(t, newLearner(t, s))
			})
		}
	}
}

// If deletions leave k+1 points or fewer, the map follows as long as it can, then stays, and
// continues when there are enough points again.
func TestDownToNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 1))
	s := quick()
	l, next, stop := started(t, s, rng, 4)
	stop()
	refresh := func() error {
		err := l.refresh(context.Background())
		finite2(t, l)
		return err
	}
	for o := range next {
		for i := range int64(10) {
			offer(t, l, tombstone(next+10*o+i, fmt.Sprint(100*o+i)))
			if n := l.ref.Len(); n < 12 || n == 30 {
				if err := refresh(); err == nil && l.Current().Points != n || err != nil && n > 10 {
					t.Fatalf("%d points left, the map has %d: %v", n, l.Current().Points, err)
				} else if err != nil {
					t.Logf("%d points left: %v", n, err)
				}
			}
		}
	}
	if l.ref.Len() != 0 || l.Current() == nil {
		t.Fatalf("%d points are left", l.ref.Len())
	}
	next += 1000
	for range 5 {
		offer(t, l, message(t, rng, 10, 4, next))
		next++
	}
	if err := refresh(); err != nil || l.Current().Points != 50 {
		t.Errorf("%d points again: %v", l.Current().Points, err)
	}
}

// finite2 is finite for a set that may be empty.
func finite2(t testing.TB, l *Learner) {
	t.Helper()
	if l.ref.Len() > 0 {
		finite(t, l)
	}
}

// Such events at the beginning of a stream do not stop it either. They wait until there are others.
func TestOddBeginnings(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 1))
	for name, odd := range map[string][]float32{
		"zeros":    {0, 0, 0, 0},
		"outlier":  {1e30, 1e30, -1e30, 0},
		"farthest": {math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := quick()
			s.Hooks.RefreshFailed = func(err error) { t.Log(err) }
			l := newLearner(t, s)
			stop := running(t, l)
			defer stop()
			offer(t, l, batchOf(t, 0, []int64{-1}, vec.Of(1, 4, odd)))
			for o := int64(1); o < 12 && l.Current() == nil; o++ {
				offer(t, l, message(t, rng, 10, 4, o))
			}
			waitReady(t, l)
			finite(t, l)
		})
	}
}
