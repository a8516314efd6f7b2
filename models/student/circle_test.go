package student_test

import "math"

// circle returns point i of n on a tilted circle.
func circle(i, n int) []float32 {
	a := 2 * math.Pi * float64(i) / float64(n)
	return []float32{float32(math.Cos(a)), float32(math.Sin(a)), float32(math.Cos(a) / 2)}
}
