package baseline

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// neighborhood lists point i, its k nearest, and the ends of its bridges with their k nearest. A
// bridge with a single shared point would leave the components free to turn around it.
func neighborhood(lists [][]int32, i, k int) []int32 {
	near := append([]int32{int32(i)}, lists[i]...)
	for _, end := range lists[i][k:] {
		near = append(near, lists[end][:k]...)
	}
	return near
}

// errUnsolved reports that gonum found no eigenvectors.
var errUnsolved = errors.New("the eigenvalue iteration did not converge")

// align returns the cost of a neighbourhood in (8), for its k points near. It is the quadratic form
// I - F F', F = (1/k^(1/2) V), with their tangent coordinates V (k x d).
func align(y vec.Matrix[float64], near []int32, d int) (patch, error) {
	v, err := tangent(y, near, d)
	if err != nil {
		return patch{}, err
	}
	p := patch{near, vec.New[float64](len(near), 1+d)}
	for a := range near {
		p.f.Row(a)[0] = 1 / math.Sqrt(float64(len(near)))
		copy(p.f.Row(a)[1:], v.Row(a))
	}
	return p, nil
}

// tangent returns the left singular vectors of the d largest singular values of the rows near of y,
// centred, k x d. They are coordinates in the closest plane, of unit length, or 0 in directions
// without extent.
func tangent(y vec.Matrix[float64], near []int32, d int) (vec.Matrix[float64], error) {
	k := len(near)
	v, centred, mean := vec.New[float64](k, d), vec.New[float64](k, y.Cols), make([]float64, y.Cols)
	for a, i := range near {
		copy(centred.Row(a), y.Row(int(i)))
		vec.Axpy(1/float64(k), y.Row(int(i)), mean)
	}
	gram := mat.NewSymDense(k, nil)
	for a := range k {
		vec.Axpy(-1, mean, centred.Row(a))
		for b := range a + 1 {
			gram.SetSym(a, b, vec.Dot(centred.Row(a), centred.Row(b)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return v, errUnsolved
	}
	extent := eigen.Values(nil) // ascending, squared
	var all mat.Dense
	eigen.VectorsTo(&all)
	for c := 0; c < d && extent[k-1-c] > leastExtent*extent[k-1]; c++ {
		for a := range k {
			v.Row(a)[c] = all.At(a, k-1-c)
		}
	}
	return v, nil
}
