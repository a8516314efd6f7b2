package simdtest

import (
	"math"
	"math/big"
	"testing"
)

// Odd are float64 values that kernels must handle.
var Odd = []float64{
	0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -0x1p-1060, 0x1p-1022, 1e-300, -1e300, math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

// Exp returns e^x to 200 bits by its series after halving.
func Exp(x float64) *big.Float {
	const prec, halvings = 300, 40
	v := new(big.Float).SetPrec(prec).SetFloat64(x)
	v.SetMantExp(v, -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for k := 1; k < 30; k++ {
		term.Mul(term, v)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// Fill returns n numbers by f at the end of accessible memory or, if shift is not zero, shifted by
// that many elements from an aligned start.
func Fill(t testing.TB, n, shift int, f func() float64) []float64 {
	var x []float64
	if shift == 0 {
		x = AtEnd[float64](t, n)
	} else {
		x = make([]float64, n+shift)[shift:]
	}
	for k := range x {
		x[k] = f()
	}
	return x
}
