package lvm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExpNeg returns exp(-e) to 200 bits by its series after halving.
func bigExpNeg(e float64) *big.Float {
	const prec, halvings = 300, 40
	x := new(big.Float).SetPrec(prec).SetFloat64(-e)
	x.SetMantExp(x, -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for k := 1; k < 30; k++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpNeg(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	points := []float64{0, 1e-20, math.Ln2 / 256, math.Ln2 / 2, math.Ln2, 1, 699.999, 700}
	for range 4_000 {
		points = append(points, 2*r.Float64(), 40*r.Float64(), math.Exp(-30*r.Float64()), 700*r.Float64())
	}
	var worstE, worstR float64
	for _, e := range points {
		exp, rest := expNeg(e, &expTable)
		want := bigExpNeg(e)
		other := new(big.Float).SetPrec(300).Sub(big.NewFloat(1), want)
		worstE = max(worstE, relative(exp, want))
		if e > 0 {
			worstR = max(worstR, relative(rest, other))
		} else if rest != 0 || exp != 1 {
			t.Errorf("at 0: %v, %v", exp, rest)
		}
	}
	t.Logf("largest relative errors: exp %.3g, 1-exp %.3g", worstE, worstR)
	if worstE > 0x1p-52 || worstR > 0x1p-51 {
		t.Errorf("relative errors %.3g and %.3g", worstE, worstR)
	}
	if exp, rest := expNeg(1e300, &expTable); exp != math.Exp(-700) && math.Abs(exp/math.Exp(-700)-1) > 1e-15 || rest != 1 {
		t.Errorf("far out: %v, %v", exp, rest)
	}
}

func relative(got float64, want *big.Float) float64 {
	d := new(big.Float).SetPrec(300).Sub(new(big.Float).SetFloat64(got), want)
	f, _ := d.Quo(d, want).Float64()
	return math.Abs(f)
}

func BenchmarkExpNeg(b *testing.B) {
	var s float64
	e := 0.001
	for b.Loop() {
		x, y := expNeg(e, &expTable)
		s += x + y
		if e += 0.37; e > 20 {
			e -= 20
		}
	}
	_ = s
}

func BenchmarkMathExp(b *testing.B) {
	var s float64
	e := 0.001
	for b.Loop() {
		s += math.Exp(-e)
		if e += 0.37; e > 20 {
			e -= 20
		}
	}
	_ = s
}
