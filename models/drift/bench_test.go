package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAdd measures the time to add one event, which replaces the oldest, including the tests
// of the window. It varies the window and the number of columns.
func BenchmarkAdd(b *testing.B) {
	for _, c := range [][2]int{{50, 10}, {200, 10}, {200, 50}, {500, 50}} {
		b.Run(fmt.Sprintf("window=%d/dim=%d", c[0], c[1]), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			m, err := New(Rows{X: normal(r, 10*c[0], c[1], 0)}, Settings{Window: c[0], Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			events := normal(r, 4*c[0], c[1], 0)
			if _, err := m.Add(context.Background(), Rows{X: events.Slice(0, c[0])}); err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				if _, err := m.Add(context.Background(), Rows{X: events}); err != nil {
					b.Fatal(err)
				}
				n += events.Rows
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/event")
		})
	}
}
