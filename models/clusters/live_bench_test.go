package clusters

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/gallery"
)

// BenchmarkLive inserts and deletes 100 of 20,000 points at a time, and finds the clusters after
// each batch. The published tables use bench/speed instead.
func BenchmarkLive(b *testing.B) {
	const n, batch, batches = 20000, 100, 20
	for _, dim := range []int{10, 50} {
		x64, _ := gallery.Blobs(n+batch*batches, dim, 30, 8, 1)
		x := vec.Convert[float32](x64)
		for _, m := range []int{10, 50} {
			l, err := NewLive(dim, Settings{MinSamples: m})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := l.Insert(b.Context(), x.Slice(0, n)); err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			at := 0
			more := func() {
				_, err := l.Insert(b.Context(), x.Slice(n+at*batch, n+(at+1)*batch))
				if at = (at + 1) % batches; err != nil {
					b.Fatal(err)
				}
			}
			fewer := func() {
				slots := l.Slots(nil)
				rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
				if err := l.Delete(b.Context(), slots[:batch]); err != nil {
					b.Fatal(err)
				}
			}
			for _, step := range []struct {
				name         string
				timed, other func()
			}{{"insert", more, fewer}, {"delete", fewer, more}} {
				b.Run(fmt.Sprintf("%s/dim=%d/m=%d", step.name, dim, m), func(b *testing.B) {
					for range b.N {
						b.StopTimer()
						step.other()
						b.StartTimer()
						step.timed()
						if _, err := l.Clusters(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "points/s")
				})
			}
		}
	}
}
