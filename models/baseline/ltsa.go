package baseline

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// neighborhood lists point i and its neighbours, the k nearest and the ends of bridges, with
// the k nearest of these: by its end alone a part would hang as by a hinge.
func neighborhood(lists [][]int32, i, k int) []int32 {
	near := append([]int32{int32(i)}, lists[i]...)
	for _, end := range lists[i][k:] {
		near = append(near, lists[end][:k]...)
	}
	return near
}

// errUnsolved says that gonum found no eigenvectors.
var errUnsolved = errors.New("the eigenvalue iteration did not converge")

// align returns the cost of a neighbourhood in (8), of its k points near: that of I - F F',
// F = (1/k^(1/2) V), V (k x d) being their tangent coordinates.
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

// tangent returns the left singular vectors of the greatest d singular values of the rows of
// y that are near, centred, k x d: coordinates along the plane that is closest to them, of
// unit length, or 0 where there is no extent.
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
