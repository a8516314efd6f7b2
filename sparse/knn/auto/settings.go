package auto

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/internal/simd/hamming"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Method is a way to find neighbours.
type Method int

const (
	// Auto leaves the choice to the rule.
	Auto Method = iota
	// Exact compares all pairs (package knn).
	Exact
	// HNSW searches a small world graph (package hnsw). It only applies to indexes; for a graph the
	// rule chooses (docs/decisions/search.md).
	HNSW
	// Descent improves lists iteratively (package nndescent). It only applies to graphs; for an
	// index the rule chooses.
	Descent
	// Given means that neighbours came with the rows (FromGiven). It only occurs in a Report.
	Given
)

var methods = []string{Auto: "auto", Exact: "exact", HNSW: "hnsw", Descent: "descent", Given: "given"}

// String returns the name of the method on the command line and in files.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methods) {
		return fmt.Sprintf("method %d", int(m))
	}
	return methods[m]
}

// MarshalText implements encoding.TextMarshaler.
func (m Method) MarshalText() ([]byte, error) {
	if m < 0 || int(m) >= len(methods) {
		return nil, fmt.Errorf("auto: there is no method %d", int(m))
	}
	return []byte(methods[m]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Method) UnmarshalText(b []byte) error {
	i := slices.Index(methods, string(b))
	if i < 0 {
		return fmt.Errorf("%q is none of %s", b, strings.Join(methods, ", "))
	}
	*m = Method(i)
	return nil
}

// Settings are the settings of a search; the zero value works. They are stored with models, so the
// names in the tags are part of the file format.
type Settings struct {
	// Method is the search method; Auto chooses one by the recall.
	Method Method `json:"method"`
	// Recall is the share of true neighbours to find, above 0 and at most 1, which means an exact
	// search. Default DefaultRecall for a graph and IndexRecall for an index.
	Recall float64 `json:"recall,omitempty"`
	// Seed of trees and levels.
	Seed uint64 `json:"seed,omitempty"`
}

// These are the default recalls of a graph and of an index.
const (
	DefaultRecall = 0.99
	IndexRecall   = 0.995
)

// Check returns an error if a setting is invalid.
func (s Settings) Check() error {
	switch {
	case s.Method < 0 || s.Method >= Given:
		return fmt.Errorf("there is no %v search", s.Method)
	case !(s.Recall >= 0 && s.Recall <= 1):
		return fmt.Errorf("a recall of %v is not in 0 to 1", s.Recall)
	case s.Recall == 1 && s.Method != Auto && s.Method != Exact:
		return fmt.Errorf("a recall of 1 is for exact search, not for %v", s.Method)
	}
	return nil
}

// recall returns the target, with a default.
func (s Settings) recall(or float64) float64 {
	if s.Recall > 0 {
		return s.Recall
	}
	return or
}

// These are the values of n (dim + 30) above which other methods are faster than exact search; see
// the package comment.
const (
	overhead   = 30
	graphWork  = 10_000_000
	indexWork  = 1_000_000
	fewRows    = 4096 // fewer are in the cache
	leastLists = 20
)

// Graph returns the method for the k nearest others of n rows of dim values: Exact or Descent.
func (s Settings) Graph(n, dim, k int) Method {
	recall := s.recall(DefaultRecall)
	switch {
	case recall >= 1:
		return Exact
	case s.Method == Exact || s.Method == Descent:
		return s.Method
	}
	// A longer list or a higher recall slows descent down.
	slower := float64(candidates(k, recall)) / leastLists
	switch {
	case n <= fewRows || float64(n)*float64(dim+overhead) <= graphWork*slower:
		return Exact
	case dim >= wideColumns && float64(n) <= wideRows*slower:
		return Exact
	}
	return Descent
}

// Index returns the method for the k nearest of n rows of dim values to other rows: Exact or HNSW.
func (s Settings) Index(n, dim, k int) Method {
	switch {
	case s.recall(IndexRecall) >= 1 || s.Method == Exact:
		return Exact
	case s.Method == HNSW:
		return HNSW
	case n <= max(fewRows, 16*k) || float64(n)*float64(dim+overhead) <= indexWork:
		return Exact
	}
	return HNSW
}

// Rows of at least wideColumns are searched exactly up to wideRows: in a graph, and in an index where
// cells are refused.
const wideColumns, wideRows = 96, 25_000

// Scans reports whether n rows of dim values that cells cannot index are searched exactly, although
// Index returns HNSW. If links are requested, it is false.
func (s Settings) Scans(n, dim int) bool {
	return s.Method != HNSW && dim >= wideColumns && n <= wideRows
}

// bitWork is the maximum number of 64-bit words, over all rows, for which a bit search is faster
// than the other methods.
const bitWork = 2_000_000

// Bits returns the settings for n binary rows of dim columns (knn.Binary). They search exactly up
// to two million words, unless a method is set explicitly or there are too few columns.
func (s Settings) Bits(n, dim int) Settings {
	if s.Method == Auto && dim >= knn.LeastBits && n*hamming.Words(dim) <= bitWork {
		s.Method = Exact
	}
	return s
}

// otherRows is the largest number of rows that are searched exactly under distances other than the
// Euclidean.
const otherRows = 15_000

// Under returns the settings for a graph of n rows under a distance. Other distances than the
// Euclidean are searched exactly up to 15,000 rows, and those of bits always, unless descent is set.
func (s Settings) Under(d distance.Distance, n int) Settings {
	switch {
	case d == distance.Euclidean:
	case s.Method == Auto && s.Recall < 1 && n > otherRows && !d.Bits():
		s.Method = Descent
	case s.Method != Descent || d.Bits():
		s.Method = Exact
	}
	return s
}

// candidates returns the length of the lists of descent: 20 or k+5 for a recall of 0.99, more for a
// higher one.
func candidates(k int, recall float64) int {
	base := float64(max(leastLists, k+5))
	return max(k, int(math.Ceil(base*min(4, math.Pow((1-DefaultRecall)/(1-min(recall, 0.9999)), 0.25)))))
}

// A search for k neighbours in an HNSW index with ef candidates misses the share missed
// ((k+more)/ef)^falls of them, as measured.
const missed, more, falls = 0.008, 22, 2.4

// Ef returns the number of candidates with which a search for k neighbours in an HNSW index reaches
// the given recall.
func Ef(k int, recall float64) int {
	scale := math.Pow(missed/(1-min(recall, 0.9999)), 1/falls)
	return max(k, int(math.Ceil(float64(k+more)*scale)))
}

// Recall is the inverse of Ef: the recall of a search for k neighbours with ef candidates.
func Recall(k, ef int) float64 {
	return max(0, 1-missed*math.Pow(float64(k+more)/float64(ef), falls))
}
