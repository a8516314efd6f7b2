package gallery

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// source returns the random numbers of a seed; each function of this package uses another stream.
func source(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// SwissRoll returns n points (n x 3) of a rolled up sheet, x = (a cos a, h,
// a sin a), with the angle a in 1.5 pi .. 4.5 pi and the height h in 0..21.
func SwissRoll(n int, seed uint64) vec.Matrix[float64] {
	x, _ := SwissRollSheet(n, seed)
	return x
}

// SwissRollSheet returns the points of SwissRoll and the sheet's own
// coordinates (n x 2): the arc length along the spiral and the height.
func SwissRollSheet(n int, seed uint64) (x, sheet vec.Matrix[float64]) {
	rng := source(seed, 1)
	x, sheet = vec.New[float64](n, 3), vec.New[float64](n, 2)
	for i := range n {
		a := 1.5 * math.Pi * (1 + 2*rng.Float64())
		h := 21 * rng.Float64()
		copy(x.Row(i), []float64{a * math.Cos(a), h, a * math.Sin(a)})
		// Arc length of r = a: integral of sqrt(1 + a^2).
		copy(sheet.Row(i), []float64{(a*math.Sqrt(1+a*a) + math.Asinh(a)) / 2, h})
	}
	return x, sheet
}

// Blobs returns n points of dimension dim around centers centres, and the centre of each point.
// Centres are uniform in the cube -10..10. Points are normal around their centre with standard
// deviation spread. The classes have sizes as equal as possible, in random order.
func Blobs(n, dim, centers int, spread float64, seed uint64) (x vec.Matrix[float64], label []int) {
	rng := source(seed, 2)
	centre := vec.New[float64](centers, dim)
	for p := range centre.Data {
		centre.Data[p] = 20*rng.Float64() - 10
	}
	x, label = vec.New[float64](n, dim), make([]int, n)
	for i := range label {
		label[i] = i % centers
	}
	rng.Shuffle(n, func(i, j int) { label[i], label[j] = label[j], label[i] })
	for i := range n {
		for k, c := range centre.Row(label[i]) {
			x.Row(i)[k] = c + spread*rng.NormFloat64()
		}
	}
	return x, label
}

// Uniform returns n uniform points of the unit cube.
func Uniform(n, dim int, seed uint64) vec.Matrix[float64] {
	rng := source(seed, 3)
	x := vec.New[float64](n, dim)
	for p := range x.Data {
		x.Data[p] = rng.Float64()
	}
	return x
}

// Circle returns n points of the unit circle in the first two of dim
// dimensions, at random angles, with normal noise of the given standard
// deviation in all dimensions. dim must be at least 2.
func Circle(n, dim int, noise float64, seed uint64) vec.Matrix[float64] {
	rng := source(seed, 4)
	x := vec.New[float64](n, dim)
	for i := range n {
		row := x.Row(i)
		row[1], row[0] = math.Sincos(2 * math.Pi * rng.Float64())
		for k := range row {
			row[k] += noise * rng.NormFloat64()
		}
	}
	return x
}
