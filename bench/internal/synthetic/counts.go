package synthetic

import (
	"math/rand/v2"
	"slices"

	"unfold/sparse"
)

// Counts returns n x m counts with each entries a row, as of words in texts of 100 subjects: about half of a row's columns are
// common to all, the first ones the most often, as the square of a uniform number, and the others are of its subject.
func Counts(n, m, each int) *sparse.CSR {
	const subjects = 100
	rng := rand.New(rand.NewPCG(4, uint64(m)))
	a := &sparse.CSR{N: n, M: m, Start: make([]int, 1, n+1), Index: make([]int32, 0, n*each), Data: make([]float64, 0, n*each)}
	seen, row := make([]int, m), make([]int32, 0, each)
	for i := range n {
		subject := rng.IntN(subjects)
		for row = row[:0]; len(row) < each; {
			u := rng.Float64()
			j := int(u * u * float64(m))
			if rng.IntN(2) == 0 {
				j = subject + subjects*rng.IntN(m/subjects)
			}
			if seen[j] != i+1 {
				seen[j] = i + 1
				row = append(row, int32(j))
			}
		}
		slices.Sort(row)
		a.Index = append(a.Index, row...)
		for range row {
			a.Data = append(a.Data, float64(1+rng.IntN(5)))
		}
		a.Start = append(a.Start, len(a.Index))
	}
	return a
}
