package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/fit"
	"unfold/stream"
	"unfold/stream/reference"
)

// soakEvents returns the number of events of a soak test: 100,000, half as many in the quick tier,
// or the value of UNFOLD_SOAK.
func soakEvents(t *testing.T) int {
	text := os.Getenv("UNFOLD_SOAK")
	switch {
	case text == "" && !tier.All():
		return 50_000
	case text == "":
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1000 {
		t.Fatalf("UNFOLD_SOAK=%s: want a number of events", text)
	}
	return n
}

// TestSoak sends a long stream of new, repeated, changed and deleted events through a learner,
// under every policy and with constant refreshes. Every map has clusters, of its rows under the
// window policy, of its places otherwise. The memory stays below the estimate of Settings.Bytes and
// does not grow.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("where the race detector slows learning down too few maps come of so many events")
	}
	long := soakEvents(t)
	const dim, rows, size = 8, 500, 2000
	for policy := reference.Reservoir; policy <= reference.Coverage; policy++ {
		t.Run(policy.String(), func(t *testing.T) {
			events := long
			if policy != reference.Reservoir && os.Getenv("UNFOLD_SOAK") == "" {
				events /= 3
			}
			rng := rand.New(rand.NewPCG(71, uint64(policy)))
			s := quick()
			s.Spec = fit.Spec{Common: models.Common{Steps: 10, Seed: 1, Threads: 1}}
			s.Min, s.Size, s.Policy, s.State = 200, size, policy, t.TempDir()
			s.RefreshEvery, s.RefreshNew = time.Duration(long/5000)*time.Millisecond, 0.01
			if policy == reference.Window {
				s.MaxAge = time.Hour
			}
			s.Moves = forgetful{}
			s.Clusters, s.ClustersOfRows = clusters.Settings{MinSize: 20, Threads: 1}, policy == reference.Window
			bound, err := s.Bytes(dim, 20)
			if err != nil {
				t.Fatal(err)
			}
			base := heapBytes()
			versions := 0
			var groups stream.ClusterStats
			s.Hooks.Published = func(p *stream.Published, _ time.Duration) { versions++; groups = p.Stats.Clusters }
			l := newLearner(t, s)
			stop := running(t, l)
			defer stop()
			var held []int64 // at every tenth of the stream
			id := int64(0)
			for n, offset := 0, int64(0); n < events; n += rows {
				ids, x := make([]int64, rows), vec.New[float32](rows, dim)
				for i := range rows {
					id++
					ids[i] = id
					if rng.IntN(4) == 0 {
						ids[i] = rng.Int64N(id) + 1 // perhaps changed
					}
					c := rng.IntN(3)
					for k := range dim {
						x.Row(i)[k] = float32(rng.NormFloat64()) + 6*float32(c*(k%2))
					}
					if rng.IntN(3) == 0 {
						for k := range dim {
							x.Row(i)[k] = float32(rng.IntN(2)) // repeated
						}
					}
				}
				e := decode(t, l, batchOf(t, offset, ids, x))
				before := l.Current()
				if before != nil {
					place(t, before, e)
				}
				if err := l.Offer(context.Background(), e); err != nil {
					t.Fatal(err)
				}
				offset++
				for range 20 {
					offer(t, l, tombstone(offset, fmt.Sprint(rng.Int64N(id)+1)))
					offset++
				}
				if step := events / 10 / rows * rows; n%step == 0 && n > 0 {
					if before != nil { // so that maps come on every machine
						waitBeyond(t, l, before.Version)
					}
					// The least of several measurements: others were taken during an operation, such as a refresh.
					least := min(heapBytes(), heapBytes(), heapBytes())
					for range 20 {
						if least-base <= bound {
							break
						}
						time.Sleep(10 * time.Millisecond)
						least = min(least, heapBytes())
					}
					held = append(held, least-base)
				}
			}
			stop()
			c := l.ref.Counts()
			early, late, most := slices.Max(held[:4]), slices.Min(held[6:]), slices.Max(held)
			t.Logf("%d events, %d versions, %d points: %d bytes held at most, %d said before; %+v, %+v", events, versions, l.ref.Len(), most, bound, c, groups)
			if most > bound {
				t.Errorf("%d bytes are held, the bound is %d", most, bound)
			}
			if late > early+bound/10 {
				t.Errorf("what is held grows: %v", held)
			}
			if versions < 5 || c.Duplicates == 0 || c.Upserts == 0 || c.Deletes == 0 || c.UnknownDeletes == 0 || c.Evicted == 0 || groups.Births == 0 {
				t.Errorf("%d versions, %+v, %+v: too little happened for the test to mean anything", versions, c, groups)
			}
			finite(t, l)
		})
	}
}

// forgetful is a sink that accepts and drops everything.
type forgetful struct{}

func (forgetful) Write(context.Context, []stream.Message) error { return nil }
func (forgetful) Close() error                                  { return nil }

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
