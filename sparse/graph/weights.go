package graph

import (
	"fmt"
	"math"
	"slices"

	"unfold/sparse"
)

// Weights is the meaning of the edge weights of a graph.
type Weights int

const (
	// Similarity means that larger weights belong to closer points. An edge of weight w has the
	// length 1/w (Newman, Scientific collaboration networks II, Phys. Rev. E 64, 016132, 2001).
	Similarity Weights = iota
	// Distance means that the weight is the length of the edge.
	Distance
)

var weightNames = []string{"similarity", "distance"}

// String returns the name of the choice in settings and model files.
func (w Weights) String() string {
	if w < 0 || int(w) >= len(weightNames) {
		return fmt.Sprintf("weights %d", int(w))
	}
	return weightNames[w]
}

// ParseWeights is the inverse of String.
func ParseWeights(word string) (Weights, error) {
	if at := slices.Index(weightNames, word); at >= 0 {
		return Weights(at), nil
	}
	return 0, fmt.Errorf("there are no weights %q: want similarity or distance", word)
}

// length returns the length of an edge with a positive weight.
func (w Weights) length(v float64) float64 {
	if w == Similarity {
		return 1 / v
	}
	return v
}

// Check returns an error for an invalid weight: weights must be positive, and they and their
// lengths finite.
func (w Weights) Check(v float64) error {
	if l := w.length(v); !(v > 0) || math.IsInf(v, 0) || math.IsInf(l, 0) || math.IsInf(l*l, 0) {
		return fmt.Errorf("the %v is %v; want a finite number above 0", w, v)
	}
	return nil
}

// Lengths returns the edge lengths of a graph, n x n, symmetric and without a diagonal. Entry i, j
// of a, whose weights must pass Check, is the edge from i to j. For an edge with a weight in both
// directions the higher similarity, or the shorter distance, is used.
func Lengths(a *sparse.CSR, w Weights) *sparse.CSR {
	back := a.Transpose()
	out := &sparse.CSR{N: a.N, M: a.N, Start: make([]int, a.N+1)}
	for i := range a.N {
		forth, forthData := a.Row(i)
		other, otherData := back.Row(i)
		for len(forth) > 0 || len(other) > 0 {
			j, length := int32(math.MaxInt32), math.Inf(1)
			if len(forth) > 0 {
				j = forth[0]
			}
			if len(other) > 0 {
				j = min(j, other[0])
			}
			if len(forth) > 0 && forth[0] == j {
				length = w.length(forthData[0])
				forth, forthData = forth[1:], forthData[1:]
			}
			if len(other) > 0 && other[0] == j {
				length = min(length, w.length(otherData[0]))
				other, otherData = other[1:], otherData[1:]
			}
			if int(j) != i {
				out.Index, out.Data = append(out.Index, j), append(out.Data, length)
			}
		}
		out.Start[i+1] = len(out.Index)
	}
	return out
}

// CheckLengths returns an error if edge lengths (n x n, a valid CSR) are not symmetric, have a
// diagonal or values that are not positive, or do not connect all points.
func CheckLengths(lengths *sparse.CSR) error {
	forest, parts := NewForest(lengths.N), lengths.N
	for i := range lengths.N {
		to, along := lengths.Row(i)
		for e, j := range to {
			if int(j) == i || Distance.Check(along[e]) != nil || lengths.At(int(j), int32(i)) != along[e] {
				return fmt.Errorf("an edge from point %d to point %d, with the length %v there and %v back", i, j, along[e], lengths.At(int(j), int32(i)))
			}
			if forest.Union(int32(i), j) {
				parts--
			}
		}
	}
	if parts > 1 {
		return fmt.Errorf("it is in %d parts", parts)
	}
	return nil
}
