package live

import (
	"context"
	"fmt"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/gallery"
)

// BenchmarkBatch inserts and deletes 100 points at a time, in turn. The numbers of published
// tables are those of bench/speed.
func BenchmarkBatch(b *testing.B) {
	const n, dim, batch = 20000, 50, 100
	x64, _ := gallery.Blobs(n+batch*20, dim, 30, 8, 1)
	x := vec.Convert[float32](x64)
	for _, parts := range []Parts{Lists, Components, All} {
		g, err := New(dim, Settings{Parts: parts})
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		if _, err := g.Insert(ctx, x.Slice(0, n)); err != nil {
			b.Fatal(err)
		}
		var slots []int32
		b.Run(fmt.Sprint("insert/", parts), func(b *testing.B) {
			for i := range b.N {
				b.StartTimer()
				slots, err = g.Insert(ctx, x.Slice(n+i%20*batch, n+(i%20+1)*batch))
				b.StopTimer()
				if err == nil {
					err = g.Delete(ctx, slots)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "points/s")
		})
		b.Run(fmt.Sprint("delete/", parts), func(b *testing.B) {
			for i := range b.N {
				b.StopTimer()
				slots, err = g.Insert(ctx, x.Slice(n+i%20*batch, n+(i%20+1)*batch))
				if err != nil {
					b.Fatal(err)
				}
				// Any points but the newest.
				for p := range slots {
					slots[p] = int32((i%7*3 + p*(n/batch)))
				}
				b.StartTimer()
				if err := g.Delete(ctx, slots); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "points/s")
		})
	}
}
