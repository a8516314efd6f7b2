package main

import (
	"context"
	"os"

	"unfold/bench/internal/synthetic"
)

func sparseRow() row {
	return row{
		key: "sparse", title: "A sparse matrix",
		about: `200,000 x 50,000 counts with 100 entries a row, from a file of scipy.sparse.save_npz to a written map in the plane: the process ` + "`unfold fit --metric cosine`" + `.
The counts imitate words in texts of 100 subjects, from a seed. In full they would take 40 GB. Neighbours are exact. Time is that of the processor.`,
		targets: []target{
			{what: "peak memory", value: figure(own, rss, 1./(1<<30)), bound: 2, unit: " GiB", format: "%.2f"},
		},
		measure: measureSparse,
	}
}

func measureSparse(ctx context.Context, b *bench, r *record) error {
	in, report := b.file("counts.npz"), b.file("counts.json")
	if err := writeCounts(in, b.size(200_000, 2_000), b.size(50_000, 1_000), b.size(100, 20)); err != nil {
		return err
	}
	_, u, err := b.process(ctx, b.unfold, "fit", "-q", in, "--metric", "cosine", "-o", b.file("counts.unfold"), "--map", b.file("counts.parquet"), "--report", report)
	if err != nil {
		return err
	}
	r.add(own, cpu, seconds, u.CPU)
	if u.Peak > 0 {
		r.add(own, rss, inBytes, u.Peak)
	}
	said, err := readReport(report)
	if err != nil {
		return err
	}
	r.add(own, predictedBytes, inBytes, said.PredictedBytes)
	r.note("one round")
	for _, name := range []string{in, report, b.file("counts.unfold"), b.file("counts.parquet")} {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// writeCounts writes a synthetic matrix in the format of scipy.sparse.save_npz.
func writeCounts(path string, n, m, each int) error {
	a := synthetic.Counts(n, m, each).Own()
	start, data := make([]int32, len(a.Start)), make([]float32, len(a.Data))
	for i, v := range a.Start {
		start[i] = int32(v)
	}
	for p, v := range a.Data {
		data[p] = float32(v)
	}
	return writeNPZ(path, array{"format", []byte("csr"), nil}, array{"shape", []int32{int32(n), int32(m)}, []int{2}},
		array{"indptr", start, []int{len(start)}}, array{"indices", a.Index, []int{len(a.Index)}}, array{"data", data, []int{len(data)}})
}
