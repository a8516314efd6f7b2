package student_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/models/saul"
	"unfold/models/student"
)

// gamma draws from Gamma(a, a), mean 1 (Marsaglia and Tsang 2000).
func gamma(a float64, r *rand.Rand) float64 {
	boost := 1.0
	shape := a
	if a < 1 {
		boost = math.Pow(r.Float64(), 1/a)
		shape++
	}
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return boost * d * v / a
		}
	}
}

// TestPairAgainstDraws compares H2 and H4 with H1, by a million draws.
func TestPairAgainstDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, p := range []student.Pair{
		{Scale2: 1, Sigma2I: .5, Sigma2J: .8, Dist2: 1.5, Dims: 1, Tail: .5},
		{Scale2: 2, Sigma2I: .7, Sigma2J: .2, Dist2: 1, Dims: 2, Tail: 1},
		{Scale2: 3, Sigma2I: .4, Sigma2J: .9, Dist2: 2, Dims: 3, Tail: 4},
	} {
		const n = 1_000_000
		var one, zero, w1, w0 float64
		for range n {
			lambda := gamma(p.Tail, r)
			var dist2 float64
			for c := range p.Dims {
				d := math.Sqrt((p.Sigma2I+p.Sigma2J)/lambda) * r.NormFloat64()
				if c == 0 {
					d += math.Sqrt(p.Dist2)
				}
				dist2 += d * d
			}
			e := lambda * dist2 / (2 * p.Scale2)
			one, w1 = one+math.Exp(-e), w1+lambda*math.Exp(-e)
			zero, w0 = zero-math.Expm1(-e), w0-lambda*math.Expm1(-e)
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"P(c=1)", p.Prob(), one / n},
			{"nu", p.Odds(), one / zero},
			{"E[lambda|c=1]", p.Share(), w1 / one},
			{"E[lambda|c=0]", p.OtherShare(), w0 / zero},
		} {
			if math.Abs(c.got-c.want) > 0.01*c.want {
				t.Errorf("d = %d, a = %v: %s is %.5f, draws say %.5f", p.Dims, p.Tail, c.what, c.got, c.want)
			}
		}
	}
}

func drawPair(t *rapid.T, most float64) student.Pair {
	positive := rapid.Custom(func(t *rapid.T) float64 {
		return math.Exp(rapid.Float64Range(-most, most).Draw(t, "log"))
	})
	return student.Pair{
		Scale2: positive.Draw(t, "scale2"), Sigma2I: positive.Draw(t, "sigma2i"), Sigma2J: positive.Draw(t, "sigma2j"),
		Dist2: positive.Draw(t, "dist2"), Dims: rapid.IntRange(1, 12).Draw(t, "d"), Tail: positive.Draw(t, "a"),
	}
}

// TestPairIdentities: identities that hold for any pair, also far from one.
func TestPairIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t, 12)
		one := p.Prob()
		zero := math.Exp(p.LogOther())
		if math.Abs(one+zero-1) > 1e-12 || !(one >= 0) || !(zero > 0) {
			t.Fatalf("P(c=1) = %v, P(c=0) = %v", one, zero)
		}
		if w := p.Share(); !(w > 0 && w <= 1) {
			t.Fatalf("w = %v", w)
		}
		// E[lambda] = 1 is the mean over c, written with the difference at c=0.
		if got, want := zero*(p.OtherShare()-1), one*(1-p.Share()); math.Abs(got-want) > 1e-9*want+1e-15 {
			t.Fatalf("c=0 adds %v to E[lambda], c=1 takes %v", got, want)
		}
		if math.Abs(p.Push()-p.Odds()*p.Share()/p.V()) > 1e-12*p.Push() || math.Abs(p.Pull()-p.Share()/p.V()) > 1e-12*p.Pull() {
			t.Fatalf("push %v, pull %v", p.Push(), p.Pull())
		}
		if half := (student.Pair{Scale2: p.Scale2, Sigma2I: p.Sigma2I, Sigma2J: p.Sigma2J, Dist2: p.Dist2, Dims: p.Dims, Tail: float64(p.Dims) / 2}); math.Abs(half.Slope()+float64(p.Dims)*half.Pull()) > 1e-9*float64(p.Dims)/p.V() {
			t.Fatalf("a = d/2: the slope is %v, want -d/Q = %v", half.Slope(), -float64(p.Dims)*half.Pull())
		}
	})
}

// TestGaussianLimit: for a -> infinity the pair is that of the paper.
func TestGaussianLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t, 1.5)
		p.Tail = 1e7
		g := saul.Pair{Scale2: p.Scale2, Sigma2I: p.Sigma2I, Sigma2J: p.Sigma2J, Dist2: p.Dist2, Dims: p.Dims}
		for _, c := range []struct{ got, want float64 }{
			{p.LogProb(), g.LogProb()},
			{p.LogOther(), g.LogOther()},
			{p.Pull(), g.Pull() / p.Sigma2I},
			{p.Push(), g.Push() / p.Sigma2I},
		} {
			if math.Abs(c.got-c.want) > 1e-4*math.Abs(c.want) {
				t.Fatalf("%v, the Gaussian pair says %v", c.got, c.want)
			}
		}
	})
}
