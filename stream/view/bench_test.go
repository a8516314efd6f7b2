package view

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/ingest/table"
)

// BenchmarkPut measures the cost per event without readers: batches of a hundred events with ids, a
// class, a partition and three numbers are put into a full hub of the default size.
func BenchmarkPut(b *testing.B) {
	const n = 100
	r := rand.New(rand.NewPCG(1, 1))
	h := New(Settings{})
	batch := func(k int) Rows {
		in := Rows{X: make([]float32, n), Y: make([]float32, n), At: 1}
		ids, label := make([]string, n), make([]string, n)
		figures := make([][]float32, 3)
		for j := range figures {
			figures[j] = make([]float32, n)
		}
		for i := range n {
			in.X[i], in.Y[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
			ids[i], label[i] = fmt.Sprintf("event-%d", n*k+i), fmt.Sprintf("class %d", r.IntN(10))
			for j := range figures {
				figures[j][i] = r.Float32()
			}
		}
		in.ID = table.StringColumn("id", ids)
		in.Columns = []table.Column{table.StringColumn("label", label), table.Float32Column("sigma", figures[0]), table.Float32Column("novelty_local", figures[1]), table.Float32Column("novelty_global", figures[2])}
		in.Same = []Same{{"partition", "3"}}
		return in
	}
	batches := make([]Rows, 6000)
	for k := range batches {
		batches[k] = batch(k)
	}
	b.ResetTimer()
	for k := range b.N {
		if err := h.Put(batches[k%len(batches)]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}

// BenchmarkWhole measures the encoding of all 200,000 points of a hub for a new reader.
func BenchmarkWhole(b *testing.B) {
	const n = 200_000
	r := rand.New(rand.NewPCG(1, 1))
	h := New(Settings{Size: n})
	in := Rows{X: make([]float32, n), Y: make([]float32, n), At: 1}
	ids, label, figure := make([]string, n), make([]string, n), make([]float32, n)
	for i := range n {
		in.X[i], in.Y[i], figure[i] = float32(r.NormFloat64()), float32(r.NormFloat64()), r.Float32()
		ids[i], label[i] = fmt.Sprintf("event-%d", i), fmt.Sprintf("class %d", r.IntN(10))
	}
	in.ID = table.StringColumn("id", ids)
	in.Columns = []table.Column{table.StringColumn("label", label), table.Float32Column("novelty_global", figure)}
	if err := h.Put(in); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	bytes := 0
	for range b.N {
		reader := h.Join()
		for {
			m, ok, _ := reader.poll()
			if !ok {
				break
			}
			bytes += len(m.Data)
		}
		reader.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/point")
	b.ReportMetric(float64(bytes)/float64(b.N)/n, "B/point")
}
