package hnsw

import "fmt"

// Settings are the settings of an index; the zero value works.
type Settings struct {
	// M is the number of links of a new row in each layer, 16 if it is
	// 0. The bottom layer has room for 2M links of a row, the others for M.
	M int
	// EfConstruction is the number of candidates that links are chosen from; 0 means 100.
	EfConstruction int
	// Ef is the number of candidates in a search, at least k; 0 means max(32, 2k). More candidates
	// give a higher recall.
	Ef int
	// Seed determines, with the order of insertion, the rows of the upper layers.
	Seed uint64
}

const (
	defaultM      = 16
	leastM, mostM = 4, 256
	mostEf        = 1 << 20
)

// complete returns s with defaults filled in.
func (s Settings) complete() (Settings, error) {
	if s.M == 0 {
		s.M = defaultM
	}
	if s.EfConstruction == 0 {
		s.EfConstruction = 100
	}
	switch {
	case s.M < leastM || s.M > mostM:
		return s, fmt.Errorf("hnsw: M is %d, want %d to %d", s.M, leastM, mostM)
	case s.EfConstruction < s.M || s.EfConstruction > mostEf:
		return s, fmt.Errorf("hnsw: EfConstruction is %d, want M = %d to %d", s.EfConstruction, s.M, mostEf)
	case s.Ef < 0 || s.Ef > mostEf:
		return s, fmt.Errorf("hnsw: Ef is %d, want 0 to %d", s.Ef, mostEf)
	}
	return s, nil
}

// ef returns the number of candidates in a search for k neighbours.
func (s Settings) ef(k int) int {
	if s.Ef == 0 {
		return max(32, 2*k)
	}
	return max(s.Ef, k)
}
