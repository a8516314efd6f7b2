package labels

import (
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// linear is the opinion of a linear model on projected vectors, which needs few labels. f = W x + b
// is fitted by least squares with a penalty to 1 for an event's own class and 0 for others. Class c
// has a share of exp(Sharp f_c).
type linear struct {
	w     vec.Matrix[float64] // C x q
	bias  []float64
	sharp float64
}

// linearWork bounds the multiplications for sums over events. penalties, as shares of the events,
// and sharpnesses are candidates.
const linearWork = 5e8

var (
	penalties    = []float64{1e-3, 1e-2, 1e-1, 1}
	sharpnesses  = []float64{1, 2, 4, 8, 16}
	leastLinears = 4 // least number of events
)

// leastSpread is added to the variances of columns, as a share of their mean. A column that hardly
// varies among the labelled events would otherwise get a large weight, and an event that differs in it
// a certain and often wrong class.
const leastSpread = 0.1

// ridge is least squares on nearly standardised columns.
type ridge struct {
	x           vec.Matrix[float64] // n x q
	y           vec.Matrix[float64] // n x C, less its means
	mean, scale []float64           // of the columns
	share       []float64           // means of y
	gram, cross vec.Matrix[float64] // x'x, x'y
	threads     int
}

// newRidge prepares the first n events.
func newRidge(k *known, n, threads int) *ridge {
	q, classes := k.seen.Cols, len(k.names)
	r := &ridge{x: vec.Convert[float64](k.seen.Slice(0, n)), y: vec.New[float64](n, classes), mean: make([]float64, q), scale: make([]float64, q),
		share: make([]float64, classes), gram: vec.New[float64](q, q), cross: vec.New[float64](q, classes), threads: threads}
	for i := range n {
		vec.Axpy(1/float64(n), r.x.Row(i), r.mean)
		r.share[k.class[i]] += 1 / float64(n)
	}
	for i := range n {
		for j, v := range r.x.Row(i) {
			r.scale[j] += (v - r.mean[j]) * (v - r.mean[j]) / float64(n)
		}
	}
	total := 0.0
	for _, v := range r.scale {
		total += v
	}
	for j, v := range r.scale {
		if r.scale[j] = 0; v > 0 {
			r.scale[j] = 1 / math.Sqrt(v+leastSpread*total/float64(q))
		}
	}
	for i := range n {
		for j := range q {
			r.x.Row(i)[j] = (r.x.Row(i)[j] - r.mean[j]) * r.scale[j]
		}
		r.y.Row(i)[k.class[i]] = 1
		vec.Axpy(-1, r.share, r.y.Row(i))
	}
	g := gemm.Implementation{Threads: threads}
	g.Dgemm(gonum.Trans, gonum.NoTrans, q, q, n, 1, r.x.Data, q, r.x.Data, q, 0, r.gram.Data, q)
	g.Dgemm(gonum.Trans, gonum.NoTrans, q, classes, n, 1, r.x.Data, q, r.y.Data, classes, 0, r.cross.Data, classes)
	return r
}

// solve returns the weights, q x C, and the leave-one-out prediction of each event. With H the
// matrix that maps y to fitted values, the prediction for i without event i is (f_i - h_i y_i)/(1 -
// h_i).
func (r *ridge) solve(penalty float64) (w, out vec.Matrix[float64], ok bool) {
	n, q, classes := r.x.Rows, r.x.Cols, r.y.Cols
	a := r.gram.Clone()
	for j := range q {
		a.Row(j)[j] += penalty * float64(n)
	}
	if spd.Factor(a, r.threads) != nil {
		return w, out, false
	}
	w, out = r.cross.Clone(), vec.New[float64](n, classes)
	spd.Solve(a, w, r.threads)
	gemm.Implementation{Threads: r.threads}.Dgemm(gonum.NoTrans, gonum.NoTrans, n, classes, q, 1, r.x.Data, q, w.Data, classes, 0, out.Data, classes)
	across := vec.Transpose(r.x)
	spd.HalfSolve(a, across, r.threads)
	h := make([]float64, n)
	for j := range q {
		for i, v := range across.Row(j) {
			h[i] += v * v
		}
	}
	for i, v := range h {
		v = min(v+1/float64(n), 1-1e-6) // adds the leverage of the mean
		for c := range classes {
			// y without its mean, which is then added: it is part of the prediction.
			out.Row(i)[c] = (out.Row(i)[c]-v*r.y.Row(i)[c])/(1-v) + r.share[c]
		}
	}
	return w, out, true
}

// learnLinear returns the linear model that predicts the classes of left-out events best. It writes
// leave-one-out predictions of the first events to opinion ofLinear of held. If there are too few
// events, it returns nil and writes uninformative opinions.
func (k *known) learnLinear(held *opinions, threads int) *linear {
	q := k.seen.Cols
	n := min(held.n, max(200, linearWork/(q*q)))
	if n < leastLinears {
		return nil
	}
	r := newRidge(k, n, threads)
	var best *linear
	most, row := math.Inf(-1), make([]float64, len(k.names))
	var others vec.Matrix[float64]
	for _, penalty := range penalties {
		w, out, ok := r.solve(penalty)
		if !ok {
			continue
		}
		for _, sharp := range sharpnesses {
			sum := 0.0
			for i := range n {
				sharpen(row, out.Row(i), sharp)
				sum += row[k.class[i]]
			}
			if sum > most {
				most, others, best = sum, out, &linear{w: w, sharp: sharp}
			}
		}
	}
	if best == nil {
		return nil
	}
	best.w, best.bias = r.plain(best.w)
	for i := range held.n {
		if i < n {
			sharpen(held.at(i, ofLinear), others.Row(i), best.sharp)
		} else {
			best.predict(held.at(i, ofLinear), k.seen.Row(i))
		}
	}
	return best
}

// plain converts weights of standardised columns, q x C, to weights of the original columns, C x q.
func (r *ridge) plain(w vec.Matrix[float64]) (plain vec.Matrix[float64], bias []float64) {
	plain, bias = vec.Transpose(w), append([]float64(nil), r.share...)
	for c := range plain.Rows {
		for j, s := range r.scale {
			plain.Row(c)[j] *= s
			bias[c] -= plain.Row(c)[j] * r.mean[j]
		}
	}
	return plain, bias
}

// predict writes the log probabilities of the classes of x.
func (l *linear) predict(dst []float64, x []float32) {
	for c := range dst {
		sum := l.bias[c]
		for j, w := range l.w.Row(c) {
			sum += w * float64(x[j])
		}
		dst[c] = sum
	}
	sharpen(dst, dst, l.sharp)
}

// sharpen writes the logarithms of the normalised exp(sharp f).
func sharpen(dst, f []float64, sharp float64) {
	most, sum := math.Inf(-1), 0.0
	for _, v := range f {
		most = max(most, v)
	}
	for c, v := range f {
		dst[c] = sharp * (v - most)
		sum += math.Exp(dst[c])
	}
	sum = math.Log(sum)
	for c := range dst {
		dst[c] -= sum
	}
}
