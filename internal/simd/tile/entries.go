package tile

import (
	"unfold/internal/par"
	"unfold/internal/vec"
)

// sparser is the ratio of all to non-zero elements above which indexed access pays. An indexed
// element costs about as much as this many consecutive ones.
const sparser = 8

// Still reports that c is 0, so that zeros of x contribute nothing to z.
func (l *Linear) Still() bool {
	for _, c := range l.c {
		if c != 0 {
			return false
		}
	}
	return true
}

// Entries sets z (q) to the image of the vector with values at the ascending elements index, and 0
// elsewhere; c must be 0 (Still). It has the bits of Apply for that vector, since adding a product
// with 0 does not change a sum that starts at zero.
func (l *Linear) Entries(z []float32, index []int, values []float64) {
	values = values[:len(index)]
	for p := range par.Pieces(l.q, lanes) {
		w := l.w[p*l.dim*lanes:]
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for e, k := range index {
			x, y := values[e], (*[lanes]float64)(w[k*lanes:])
			// The conversions keep a compiler from fusing product and sum.
			s0 += float64(x * y[0])
			s1 += float64(x * y[1])
			s2 += float64(x * y[2])
			s3 += float64(x * y[3])
			s4 += float64(x * y[4])
			s5 += float64(x * y[5])
			s6 += float64(x * y[6])
			s7 += float64(x * y[7])
		}
		sums := [lanes]float64{s0, s1, s2, s3, s4, s5, s6, s7}
		for j := range z[p*lanes : min(l.q, (p+1)*lanes)] {
			z[p*lanes+j] = float32(sums[j])
		}
	}
}

// gather lists the non-zero elements of x. It returns false if processing all elements is as fast.
func gather(x []float32, index []int, values []float64) (_ []int, _ []float64, few bool) {
	index, values = index[:0], values[:0]
	most := len(x) / sparser
	for k, v := range x {
		if v == 0 {
			continue
		}
		if len(index) == most {
			return index, values, false
		}
		index, values = append(index, k), append(values, float64(v))
	}
	return index, values, true
}

// sparse maps the rows of x one by one if all of them have few non-zero elements. If one has more
// it reports false, and its output must be overwritten.
func (l *Linear) sparse(out, x vec.Matrix[float32], index []int, values []float64) bool {
	for i := range x.Rows {
		var few bool
		if index, values, few = gather(x.Row(i), index, values); !few {
			return false
		}
		l.Entries(out.Row(i), index, values)
	}
	return true
}
