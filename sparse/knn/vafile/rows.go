package vafile

import (
	"fmt"

	"unfold/internal/simd"
)

// Rows has N rows; see the package comment.
type Rows struct {
	N    int
	data []uint8
	norm []int32
}

// NewRows returns n rows of zeros with the norm Never.
func NewRows(n int) *Rows {
	r := &Rows{N: n}
	r.data = make([]uint8, r.Blocks()*Width*Dims)
	r.norm = make([]int32, r.Blocks()*Width)
	for j := range r.norm {
		r.norm[j] = Never
	}
	return r
}

// Bytes returns the memory that the rows take.
func (r *Rows) Bytes() int64 { return int64(len(r.data) + 4*len(r.norm)) }

// Blocks returns the number of blocks.
func (r *Rows) Blocks() int { return (r.N + Width - 1) / Width }

// Set sets row j to x. It panics if an integer is above Largest, or there is no such row.
func (r *Rows) Set(j int, x *[Dims]uint8, norm int32) {
	if j < 0 || j >= r.N {
		panic(fmt.Sprintf("vafile: row %d of %d", j, r.N))
	}
	block := r.data[j/Width*Width*Dims:][:Width*Dims]
	for k, v := range x {
		if v > Largest {
			panic(fmt.Sprintf("vafile: %d in row %d, at most %d can be", v, j, Largest))
		}
		block[k/4*4*Width+j%Width*4+k%4] = v
	}
	r.norm[j] = norm
}

// Compare sets dst[j] to norm_j - q x_j for every row, and least[b] to the minimum in block b. dst
// has length Blocks()*Width, least Blocks(); it panics if they are shorter.
func (r *Rows) Compare(level simd.Level, dst, least []int32, q *[Dims]int8) {
	if r.N > 0 {
		compare(level, dst[:len(r.norm)], least[:r.Blocks()], q, r.data, r.norm)
	}
}

// compareGeneric is the portable version of the kernels.
func compareGeneric(dst, least []int32, q *[Dims]int8, data []uint8, norm []int32) {
	for b := range least {
		block, out := data[b*Width*Dims:][:Width*Dims], dst[b*Width:][:Width]
		copy(out, norm[b*Width:])
		for g := range Dims / 4 {
			q0, q1, q2, q3 := int32(q[4*g]), int32(q[4*g+1]), int32(q[4*g+2]), int32(q[4*g+3])
			for c := range out {
				x := (*[4]uint8)(block[g*4*Width+4*c:])
				out[c] -= q0*int32(x[0]) + q1*int32(x[1]) + q2*int32(x[2]) + q3*int32(x[3])
			}
		}
		smallest := out[0]
		for _, v := range out {
			smallest = min(smallest, v)
		}
		least[b] = smallest
	}
}
