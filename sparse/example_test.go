package sparse_test

import (
	"fmt"

	"unfold/sparse"
)

// A weighted triangle whose weights change: the pattern is built once.
func ExamplePattern() {
	i, j := []int32{0, 1, 2}, []int32{1, 2, 0}
	c, slot, slotT := sparse.Pattern(3, i, j)
	for _, w := range [][]float64{{1, 2, 3}, {10, 20, 30}} {
		c.Scatter(slot, slotT, w)
		fmt.Println(c.RowSums(nil))
	}
	// Output:
	// [4 3 5]
	// [40 30 50]
}

func ExampleLaplacian() {
	lap := sparse.Laplacian(3, []int32{0, 1}, []int32{1, 2}, []float64{1, 2})
	y := make([]float64, 3)
	lap.MulVec(y, []float64{0, 1, 3})
	fmt.Println(y)
	// Output: [-1 -3 4]
}
