package budget

import (
	"unfold/models/pca"
	"unfold/sparse/knn"
)

// input returns the bytes of an input row. A sparse row has a value and a column for each entry,
// and its start.
func (p *Plan) input() float64 {
	if p.Entries > 0 {
		return 16*float64(p.Entries)/float64(p.Rows) + 8
	}
	return 4 * float64(p.Dim)
}

// sparse adds the stages from sparse rows to their projection. It returns the bytes of a row's
// neighbour list, which stays besides the projection.
func (p *Plan) sparse(add func(name string, perRow, rest float64)) (neighbors float64) {
	input, kept, seen, near := p.input(), float64(p.Kept), 4*float64(p.Seen), 4*float64(p.Lists)
	// While they are read, rows given by columns or in any order are stored twice.
	add("read", 2*input+kept, 0)
	add("knn", input+kept+12*float64(p.Lists)+near, float64(knn.SparseBytes(p.Rows, p.Dim, p.Entries, p.threads())))
	add("pca", input+kept+near+seen, float64(pca.TruncatedBytes(p.Dim, p.Spec.PCA, p.Spec.Threads)))
	return near
}
