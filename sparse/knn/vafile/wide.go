package vafile

import (
	"fmt"

	"unfold/internal/simd"
)

// Wide has N rows of WideDims integers, each in its own cache line, for a finer comparison of the
// rows that pass the first.
type Wide struct {
	N    int
	data []uint8
	norm []int32
}

// NewWide returns n rows of zeros with norms of zero.
func NewWide(n int) *Wide {
	return &Wide{N: n, data: make([]uint8, n*WideDims), norm: make([]int32, n)}
}

// Bytes returns the memory that the rows take.
func (w *Wide) Bytes() int64 { return int64(len(w.data) + 4*len(w.norm)) }

// Set sets row j to x. It panics if an integer is above Largest, or there is no such row.
func (w *Wide) Set(j int, x *[WideDims]uint8, norm int32) {
	if j < 0 || j >= w.N {
		panic(fmt.Sprintf("vafile: row %d of %d", j, w.N))
	}
	for _, v := range x {
		if v > Largest {
			panic(fmt.Sprintf("vafile: %d in row %d, at most %d can be", v, j, Largest))
		}
	}
	copy(w.data[j*WideDims:], x[:])
	w.norm[j] = norm
}

// Compare sets dst[t] to norm_j - q x_j for j = rows[t]. It panics if dst is
// shorter than rows, or there is no row j.
func (w *Wide) Compare(level simd.Level, dst, rows []int32, q *[WideDims]int8) {
	if len(rows) == 0 {
		return
	}
	for _, j := range rows {
		_ = w.norm[j]
	}
	gather(level, dst[:len(rows)], rows, q, w.data, w.norm)
}

// gatherGeneric is the portable version of the kernels.
func gatherGeneric(dst, rows []int32, q *[WideDims]int8, data []uint8, norm []int32) {
	for t, j := range rows {
		v := norm[j]
		for k, x := range (*[WideDims]uint8)(data[int(j)*WideDims:]) {
			v -= int32(q[k]) * int32(x)
		}
		dst[t] = v
	}
}

// Pass sets bit c of mask[b] if value[b*Width+c] is at most limit. It panics if
// value is shorter than len(mask)*Width.
func Pass(level simd.Level, mask []uint64, value []int32, limit int32) {
	if len(mask) > 0 {
		pass(level, mask, value[:len(mask)*Width], limit)
	}
}

// passGeneric is the portable version of the kernels.
func passGeneric(mask []uint64, value []int32, limit int32) {
	for b := range mask {
		mask[b] = 0
		for c, v := range value[b*Width:][:Width] {
			if v <= limit {
				mask[b] |= 1 << c
			}
		}
	}
}
