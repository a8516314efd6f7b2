package placing

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
)

// slowRegression is Regression with plain loops: each prediction by the normal
// equations of the weighted least squares.
type slowRegression struct {
	s    *snapshot.Snapshot
	tail float64
}

// slowNear are points with squared distances, ascending; ties by index.
type slowNear struct {
	point int
	dist2 float64
}

// others returns the points of a list by distance from y.
func (r slowRegression) others(y []float64, points []int) (out []slowNear) {
	for _, p := range points {
		out = append(out, slowNear{p, vec.SquaredDistance(r.s.Mu.Row(p), y)})
	}
	slices.SortStableFunc(out, func(a, b slowNear) int { return cmp.Or(cmp.Compare(a.dist2, b.dist2), cmp.Compare(a.point, b.point)) })
	return out
}

// all returns all points but one.
func (r slowRegression) all(but int) (out []int) {
	for p := range r.s.Mu.Rows {
		if p != but {
			out = append(out, p)
		}
	}
	return out
}

// decode predicts the vector at y from the first 30 points of a list. It returns the weights and the
// bandwidth as well.
func (r slowRegression) decode(t *testing.T, y []float64, near []slowNear) (z, weight []float64, bandwidth float64) {
	t.Helper()
	near = near[:min(30, len(near))]
	d, q := len(y), r.s.Reference.Cols
	h2 := near[min(4, len(near))-1].dist2
	bandwidth = math.Sqrt(h2)
	if h2 == 0 {
		h2 = near[len(near)-1].dist2
	}
	sum := 0.0
	for _, o := range near {
		w := float64(r.s.Count[o.point])
		switch {
		case h2 == 0:
		case r.tail == 0:
			w *= math.Exp(-o.dist2 / (2 * h2))
		default:
			w *= math.Pow(1+o.dist2/(2*r.tail*h2), -(r.tail + float64(d)/2))
		}
		weight, sum = append(weight, w), sum+w
	}
	a, b := mat.NewSymDense(d+1, nil), mat.NewDense(d+1, q, nil)
	for j, o := range near {
		weight[j] /= sum
		row := append([]float64{1}, r.s.Mu.Row(o.point)...)
		for c := range y {
			row[c+1] -= y[c]
		}
		for i, v := range row {
			for k := range i + 1 {
				a.SetSym(i, k, a.At(i, k)+weight[j]*v*row[k])
			}
			for c, x := range r.s.Reference.Row(o.point) {
				b.Set(i, c, b.At(i, c)+weight[j]*v*float64(x))
			}
		}
	}
	if h2 == 0 {
		return b.RawRowView(0), weight, bandwidth // all are at one place: their weighted mean
	}
	for c := range d {
		a.SetSym(c+1, c+1, a.At(c+1, c+1)+.1*h2)
	}
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		t.Fatal(err)
	}
	return x.RawRowView(0), weight, bandwidth
}

// left returns the squared error of a point that is decoded from a list of others, and the bandwidth.
func (r slowRegression) left(t *testing.T, p int, near []slowNear) (error2, bandwidth float64) {
	t.Helper()
	z, _, bandwidth := r.decode(t, r.s.Mu.Row(p), near)
	for c, v := range r.s.Reference.Row(p) {
		error2 += (float64(v) - z[c]) * (float64(v) - z[c])
	}
	return error2, bandwidth
}

// curve returns the growth of the error with the bandwidth as a function.
func (r slowRegression) curve(t *testing.T) func(h float64) float64 {
	t.Helper()
	n := r.s.Mu.Rows
	var usual []float64
	lists := map[int][]slowNear{}
	for k := range min(128, n) {
		p := k * n / min(128, n)
		lists[p] = r.others(r.s.Mu.Row(p), r.all(p))
		usual = append(usual, math.Sqrt(lists[p][min(4, n-1)-1].dist2))
	}
	slices.Sort(usual)
	least := usual[len(usual)/2]
	var hs, es []float64
	for radius := least; least > 0; radius *= 1.5 {
		count, sumH, sumE := 0, 0.0, 0.0
		for p, near := range lists {
			var outside []slowNear
			for _, o := range near {
				if o.dist2 >= radius*radius {
					outside = append(outside, o)
				}
			}
			if len(outside) == 0 || float64(len(outside)) < .1*float64(len(near)) {
				continue
			}
			e, h := r.left(t, p, outside)
			count, sumH, sumE = count+1, sumH+h, sumE+e
		}
		if count == 0 || float64(count) < .1*float64(len(lists)) {
			break
		}
		h, e := sumH/float64(count), sumE/float64(count)
		if len(hs) > 0 && e < es[len(es)-1] {
			e = es[len(es)-1]
		}
		if len(hs) == 0 || h > hs[len(hs)-1] {
			hs, es = append(hs, h), append(es, e)
		}
	}
	return func(h float64) float64 {
		for i := range hs {
			switch {
			case h > hs[i]:
			case i == 0:
				return es[0]
			default:
				return es[i-1] + (h-hs[i-1])/(hs[i]-hs[i-1])*(es[i]-es[i-1])
			}
		}
		if len(hs) == 0 {
			return 0
		}
		return es[len(es)-1]
	}
}

// A local linear regression decodes positions, at points, between and far from them, for both tails,
// with and without a projection, on tiny maps and where points share a place. Its error is that of
// leaving points out, which grows away from the points. All agree with plain loops.
func TestRegression(t *testing.T) {
	for name, c := range map[string]struct {
		n, q int
		tail float64
		tied int // so many points have the place of point 0
	}{
		"heavy tails":   {n: 150, tail: 1},
		"projected":     {n: 150, q: 3, tail: .5},
		"Gaussian":      {n: 150},
		"few":           {n: 11, tail: 1},
		"some tied":     {n: 150, tail: 1, tied: 6},
		"many tied":     {n: 150, tail: 1, tied: 40},
		"most are tied": {n: 60, tied: 50},
	} {
		s, _ := modeltest.Snapshot(t, 9, c.n, 6, c.q, 2)
		for i := range s.Count {
			s.Count[i] = uint32(1 + i%3)
		}
		for i := range s.Mu.Data { // the search sees positions in single precision
			s.Mu.Data[i] = float64(float32(s.Mu.Data[i]))
		}
		for i := range c.tied {
			copy(s.Mu.Row(i+1), s.Mu.Row(0))
		}
		if c.tail > 0 {
			s.Student = &snapshot.Student{Tail: c.tail}
		}
		f, err := New(s, 0, Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		at := vec.New[float32](60, 2)
		for i := range 20 {
			p, o := s.Mu.Row(i*c.n/20), s.Mu.Row((i*c.n/20+7)%c.n)
			at.Row(i)[0], at.Row(i)[1] = float32(p[0]), float32(p[1])
			at.Row(20 + i)[0], at.Row(20 + i)[1] = float32(p[0]+o[0])/2, float32(p[1]+o[1])/2
			at.Row(40 + i)[0], at.Row(40 + i)[1] = float32(3*p[0]+float64(i)), float32(3*p[1]-float64(i))
		}
		regression := NewRegression(f)
		got, err := regression.Decode(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := regression.Decode(t.Context(), at); err != nil || !slices.Equal(again.Sigma, got.Sigma) || !slices.Equal(again.X.Data, got.X.Data) {
			t.Errorf("%s: the second call decodes otherwise, %v", name, err)
		}
		slow := slowRegression{s, c.tail}
		curve, lost, leave := slow.curve(t), lostVariance(s), map[int][2]float64{}
		for i := range at.Rows {
			y := []float64{float64(at.Row(i)[0]), float64(at.Row(i)[1])}
			near := slow.others(y, slow.all(-1))
			if k := min(30, len(near)); k < len(near) && near[k-1].dist2 == near[k].dist2 {
				continue // which of equally near points count is open
			}
			z, weight, h := slow.decode(t, y, near)
			error2, usual := 0.0, 0.0
			for j, w := range weight {
				p := near[j].point
				if _, known := leave[p]; !known {
					e, b := slow.left(t, p, slow.leftOut(p))
					leave[p] = [2]float64{e, b}
				}
				error2, usual = error2+w*leave[p][0], usual+w*leave[p][1]
			}
			if h > usual {
				error2 += curve(h) - curve(usual)
			}
			single := vec.New[float32](1, len(z))
			for c, v := range z {
				single.Data[c] = float32(v)
			}
			want := f.Unproject(single, []float32{float32(math.Sqrt((error2 + lost) / float64(len(z))))})
			for c, v := range want.X.Row(0) {
				if math.Abs(float64(got.X.Row(i)[c]-v)) > 1e-4 {
					t.Fatalf("%s: position %d is decoded as %v, want %v", name, i, got.X.Row(i), want.X.Row(0))
				}
			}
			if math.Abs(float64(got.Sigma[i]-want.Sigma[0])) > 1e-4*float64(want.Sigma[0]) {
				t.Errorf("%s: position %d has the error %g, want %g", name, i, got.Sigma[i], want.Sigma[0])
			}
		}
	}
}

// leftOut returns the others of a point as the search finds them: of the 31 nearest points without
// itself, or of those at its place the first 30.
func (r slowRegression) leftOut(p int) []slowNear {
	near := r.others(r.s.Mu.Row(p), r.all(-1))
	near = near[:min(31, len(near))]
	for j, o := range near {
		if o.point == p {
			return slices.Delete(near, j, j+1)
		}
	}
	return near[:len(near)-1]
}

// Maps of graphs have no vectors, and positions must fit the map.
func TestRegressionRefuses(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 9, 20, 6, 0, 2)
	f, err := New(s, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewRegression(f).Decode(t.Context(), vec.New[float32](1, 3)); err == nil {
		t.Error("positions of 3 dimensions are decoded on a map of 2")
	}
	s.Graph = &snapshot.Graph{}
	if _, err := NewRegression(f).Decode(t.Context(), vec.New[float32](1, 2)); !models.IsBadInput(err) {
		t.Errorf("a graph: %v", err)
	}
}
