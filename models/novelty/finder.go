package novelty

import (
	"math"
	"sort"
)

// finder finds the place of a score in an ascending list. A search by halving the whole list waits for
// memory and for branches that cannot be foreseen; the part of the range that a score is in leaves few.
type finder struct {
	low, per float64
	// start[p] is the number of values in parts before p.
	start []int32
}

// parts is the number of parts of equal length. The last includes the largest hundredth of the values,
// which may be far apart.
const parts = 4096

// newFinder returns a finder for a list, or nil if it is short or its values do not differ enough.
func newFinder(list []float64) *finder {
	if len(list) < parts/4 || len(list) > math.MaxInt32 {
		return nil
	}
	f := &finder{low: list[0], start: make([]int32, parts+1)}
	f.per = parts / (list[len(list)-1-len(list)/100] - f.low)
	if !(f.per > 0 && f.per < math.MaxFloat64) {
		return nil
	}
	for _, v := range list {
		f.start[f.part(v)+1]++
	}
	for p := range parts {
		f.start[p+1] += f.start[p]
	}
	return f
}

// part does not decrease with v.
func (f *finder) part(v float64) int {
	return int(min(max((v-f.low)*f.per, 0), parts-1))
}

// percentile returns the share of an ascending list that is smaller than v, with equal values
// counted half.
func (f *finder) percentile(list []float64, v float64) float64 {
	below := f.below(list, v)
	upTo := below
	if below < len(list) && list[below] == v {
		upTo += sort.Search(len(list)-below, func(i int) bool { return list[below+i] > v })
	}
	return float64(below+upTo) / float64(2*len(list))
}

// below returns the number of values less than v, which is not NaN. f may be nil.
func (f *finder) below(list []float64, v float64) int {
	if f == nil {
		return sort.SearchFloat64s(list, v)
	}
	p := f.part(v)
	from, to := f.start[p], f.start[p+1]
	return int(from) + sort.SearchFloat64s(list[from:to], v)
}
