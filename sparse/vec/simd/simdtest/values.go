package simdtest

import "math"

// Odd are float64 values that kernels have to live with.
var Odd = []float64{
	0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -0x1p-1060, 0x1p-1022, 1e-300, -1e300, math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(),
}
