package fit

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// partOf returns a part of a model file.
func partOf(t *testing.T, s *snapshot.Snapshot, name string) []float64 {
	t.Helper()
	out, err := snapshot.PartOf[float64](s, name, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// gaussianLog is ln N(y | 0, k) by a dense factor.
func gaussianLog(t *testing.T, y []float64, k *mat.SymDense) float64 {
	t.Helper()
	var c mat.Cholesky
	if !c.Factorize(k) {
		t.Fatal("the covariance is not positive definite")
	}
	v := mat.NewVecDense(len(y), y)
	var solved mat.VecDense
	if err := c.SolveVecTo(&solved, v); err != nil {
		t.Fatal(err)
	}
	return -0.5 * (float64(len(y))*math.Log(2*math.Pi) + c.LogDet() + mat.Dot(v, &solved))
}

// slowProcess is the log-likelihood of z at a place mu, value by value: that of the learnt values of
// the column with the new one, less that without it (rbf, bias and white noise; Lawrence 2005, eq 19
// to 21 by the joint density). learnt has NaN where values were missing.
func slowProcess(t *testing.T, s *snapshot.Snapshot, learnt vec.Matrix[float32], z, mu []float32) (sum float64) {
	t.Helper()
	theta, x, units := partOf(t, s, "theta"), partOf(t, s, "x"), partOf(t, s, "frame")
	d := len(mu)
	place := func(i int) []float64 {
		if i < learnt.Rows {
			return x[i*d:][:d]
		}
		return vec.Convert[float64](vec.Of(1, d, mu)).Data
	}
	for c, v := range z {
		if v != v {
			continue
		}
		var rows []int
		var y []float64
		mean := 0.0
		scaled := func(v float32) float64 { return (float64(v) - units[1+c]) * units[0] }
		for i := range learnt.Rows {
			if w := learnt.Row(i)[c]; w == w {
				rows, y = append(rows, i), append(y, scaled(w))
				mean += scaled(w)
			}
		}
		mean /= float64(len(y))
		rows, y = append(rows, learnt.Rows), append(y, scaled(v))
		for i := range y {
			y[i] -= mean
		}
		k := mat.NewSymDense(len(y), nil)
		for a, i := range rows {
			for b, j := range rows[:a+1] {
				value := theta[1]*math.Exp(-theta[0]/2*vec.SquaredDistance(place(i), place(j))) + theta[2]
				if a == b {
					value += theta[3] + gplvm.DefaultVariance
				}
				k.SetSym(a, b, value)
			}
		}
		n := len(y) - 1
		sum += gaussianLog(t, y, k) - gaussianLog(t, y[:n], k.SliceSym(0, n).(*mat.SymDense)) + math.Log(units[0])
	}
	return sum
}

// likely places rows, which may have missing values, and returns their log-likelihoods.
func likely(t *testing.T, s *snapshot.Snapshot, x vec.Matrix[float32]) (models.Placed, []float32) {
	t.Helper()
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	place := p.Place
	if l, ok := p.(models.Lenient); ok {
		place = l.PlaceMissing
	}
	at, err := place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.(models.Likely).LogLik(context.Background(), x, at)
	if err != nil {
		t.Fatal(err)
	}
	return at, out
}

// The likelihood of new rows is that of the slow computation, for whole rows and for rows with
// missing values, which have the marginal likelihood of the others; so it is where learnt rows
// lacked values.
func TestLogLikOfProcess(t *testing.T) {
	nan := float32(math.NaN())
	for name, given := range map[string]vec.Matrix[float32]{"whole": whole(40), "missing": holes(40)} {
		x := given.Clone()
		s, _, err := Fit(context.Background(), x, Spec{Kind: GPLVM, PCA: PCANone, Common: models.Common{Steps: 15}}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		rows, err := snapshot.PartOf[uint32](s, "learnt", 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		learnt := vec.New[float32](len(rows), 5)
		for l, i := range rows {
			copy(learnt.Row(l), original(given, s.Reference.Row(int(i))))
		}
		fresh := vec.Of(6, 5, []float32{
			0.3, 0.6, 0.09, 0.97, 0.18,
			0.3, 0.6, nan, 0.97, 0.18,
			nan, nan, 0.1, nan, 0.4,
			0.9, 0.1, 0.7, 0.3, 0.1,
			4, -3, 9, 8, -7,
			4, nan, 9, 8, -7,
		})
		at, got := likely(t, s, fresh)
		for i := range fresh.Rows {
			want := slowProcess(t, s, learnt, fresh.Row(i), at.Mu.Row(i))
			if math.Abs(float64(got[i])-want) > 1e-3*math.Abs(want)+1e-3 {
				t.Errorf("%s, row %d: log-likelihood %g, want %g", name, i, got[i], want)
			}
		}
	}
}

// whole are the rows of holes, with one row completed.
func whole(n int) vec.Matrix[float32] {
	x := holes(n)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			if v != v {
				x.Row(i)[c] = float32(i) / float32(n)
			}
		}
	}
	return x
}

// original finds the given row of a completed one.
func original(given vec.Matrix[float32], row []float32) []float32 {
	for i := range given.Rows {
		same := true
		for c, v := range given.Row(i) {
			same = same && (v != v || v == row[c])
		}
		if same {
			return given.Row(i)
		}
	}
	return nil
}

// The farther a row from everything the less likely it is, up to the end of the number range, where
// the value is still finite: of every kind that has a likelihood. Others do not have one.
func TestLikelyKinds(t *testing.T) {
	x := whole(60)
	for _, k := range (Kinds{}).all() {
		s, _, err := Fit(context.Background(), x, Spec{Kind: k.Name, Common: models.Common{Steps: 5}}, nil)
		if err != nil {
			t.Fatal(k.Name, err)
		}
		p, err := Open(s, placing.Options{})
		if err != nil {
			t.Fatal(k.Name, err)
		}
		if _, ok := p.(models.Likely); ok != k.Likely {
			t.Errorf("kind %s: has a likelihood: %v, the kind's entry says %v", k.Name, ok, k.Likely)
		}
		if !k.Likely {
			continue
		}
		var values []float32
		for scale := 10.0; scale < 1e17; scale *= 100 {
			for _, v := range []float64{1, -2, 0.5, 1, 3} {
				values = append(values, float32(scale*v))
			}
		}
		_, usual := likely(t, s, x)
		_, far := likely(t, s, vec.Of(len(values)/5, 5, values))
		last := slices.Min(usual)
		for i, v := range far {
			if !(v < last) {
				t.Errorf("kind %s: far row %d has %g, nearer ones %g", k.Name, i, v, last)
			}
			last = v
		}
		end := slices.Repeat([]float32{3e38, -3e38, 3e38, 1e38, 2e38}, 1)
		if at, err := p.Place(context.Background(), vec.Of(1, 5, end)); err == nil {
			v, err := p.(models.Likely).LogLik(context.Background(), vec.Of(1, 5, end), at)
			if err != nil || !vec.Finite(v) || v[0] > last {
				t.Errorf("kind %s: at the end of the number range %v, %v", k.Name, v, err)
			}
		}
	}
}
