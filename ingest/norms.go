package ingest

import (
	"math"

	"unfold/internal/vec"
)

// LikeText reports whether vectors look like embeddings of texts, so that cosine may be a better
// metric than the distance. deviation is the relative deviation of their lengths. Such vectors
//
//   - have values below 0 and similar lengths;
//   - fill many directions, but not evenly: the participation ratio of their covariance, (trace
//     C)^2 /
//     trace C^2, is at least leastDirections and well below the number of columns (133 of 384 for sentences of
//     a dictionary by a sentence model, 170 of 300 for word2vec);
//   - have a common direction.
//
// Any cloud with many columns has similar lengths. But clouds around some centres fill only few
// directions more than the centres, and noise fills all directions evenly and has no common
// direction.
func LikeText(x vec.Matrix[float32]) (deviation float64, like bool) {
	const sampled, leastDirections, mostOfColumns, leastCommon, mostDeviation = 400, 100, 0.8, 0.1, 0.2
	if x.Cols < leastDirections || x.Rows < leastDirections {
		return 0, false
	}
	step := max(1, x.Rows/sampled)
	rows, mean := vec.New[float64]((x.Rows+step-1)/step, x.Cols), make([]float64, x.Cols)
	var lengths moments
	negative := false
	for i := range rows.Rows {
		square := 0.0
		for k, v := range x.Row(i * step) {
			w := float64(v)
			rows.Row(i)[k] = w
			mean[k] += w / float64(rows.Rows)
			square += w * w
			negative = negative || w < 0
		}
		lengths.add(math.Sqrt(square))
	}
	deviation = lengths.deviation() / lengths.mean
	if !negative || !(deviation < mostDeviation) || math.Sqrt(vec.SquaredNorm(mean)) < leastCommon*lengths.mean {
		return deviation, false
	}
	directions := participation(rows, mean)
	return deviation, directions >= leastDirections && directions <= mostOfColumns*float64(x.Cols)
}

// participation returns (trace C)^2 / trace C^2 for the covariance C of rows. It centres the rows.
// For independent rows x and y, trace C^2 is the mean of (x.y)^2.
func participation(rows vec.Matrix[float64], mean []float64) float64 {
	trace, squares, pairs := 0.0, 0.0, 0.0
	for i := range rows.Rows {
		row := rows.Row(i)
		for k := range row {
			row[k] -= mean[k]
		}
		trace += vec.SquaredNorm(row) / float64(rows.Rows)
		for j := range i {
			d := vec.Dot(row, rows.Row(j))
			squares += d * d
			pairs++
		}
	}
	return trace * trace / (squares / pairs)
}
