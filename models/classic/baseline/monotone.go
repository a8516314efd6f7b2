package baseline

import (
	"fmt"
	"sort"

	"unfold/internal/vec"
)

// tie is the relative difference below which dissimilarities count as equal.
const tie = 1e-12

// pool is a range of pairs, ending before end, with the same disparity: sum divided by their
// number.
type pool struct {
	sum float64
	end int
}

// regress sets hat to (16), the monotone least-squares fit of d on the dissimilarities, by pooling
// adjacent violators (Kruskal, Psychometrika 29, 1964, pages 115 to 129). Equal dissimilarities get
// equal disparities, his secondary approach, as in scikit-learn.
func (p *pairs) regress(hat, d []float64) {
	pools := p.pools[:0]
	for k := 0; k < len(p.delta); {
		next, first := pool{end: k}, p.delta[k]
		for next.end < len(p.delta) && p.delta[next.end]-first <= tie*first {
			next.sum += d[p.order[next.end]]
			next.end++
		}
		for n := len(pools); n > 0; n-- {
			begin, last := 0, pools[n-1]
			if n > 1 {
				begin = pools[n-2].end
			}
			if last.sum/float64(last.end-begin) < next.sum/float64(next.end-last.end) {
				break
			}
			next.sum += last.sum
			pools = pools[:n-1]
		}
		k = next.end
		pools = append(pools, next)
	}
	begin := 0
	for _, l := range pools {
		v := l.sum / float64(l.end-begin)
		for _, at := range p.order[begin:l.end] {
			hat[at] = v
		}
		begin = l.end
	}
	p.pools = pools
}

// monotone is a function of dissimilarities. It is constant on each of some intervals and outside
// all of them, and linear between intervals. A row has the two ends of an interval and the value
// there.
type monotone struct{ vec.Matrix[float64] }

// of replaces each delta by its disparity.
func (f monotone) of(delta []float64) {
	for j, v := range delta {
		delta[j] = f.at(v)
	}
}

func (f monotone) at(delta float64) float64 {
	k := sort.Search(f.Rows, func(k int) bool { return f.Row(k)[1] >= delta })
	if k == f.Rows {
		return f.Row(k - 1)[2]
	}
	r := f.Row(k)
	if k == 0 || delta >= r[0] {
		return r[2]
	}
	last := f.Row(k - 1)
	return last[2] + (r[2]-last[2])*(delta-last[1])/(r[0]-last[1])
}

// check returns an error if the function is not monotone.
func (f monotone) check() error {
	if f.Rows == 0 {
		return fmt.Errorf("there are no disparities")
	}
	end, value := 0.0, 0.0
	for k := range f.Rows {
		r := f.Row(k)
		if !(end <= r[0] && r[0] <= r[1] && value <= r[2]) {
			return fmt.Errorf("row %d of the disparities, %g, is not above the one before", k, r)
		}
		end, value = r[1], r[2]
	}
	return nil
}
