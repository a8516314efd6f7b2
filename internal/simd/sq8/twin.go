package sq8

import "math"

// scoresTwin is the plain twin of the kernels for scores.
func scoresTwin(out []int32, code []int8, data []uint8, norm []int32, n int) {
	size := len(code) * Side
	for p := range n {
		panel := data[p*size:][:size]
		var sum [Side]int32
		for g := 0; g < len(code); g += group {
			q := (*[group]int8)(code[g:])
			a, b, c, d := int32(q[0]), int32(q[1]), int32(q[2]), int32(q[3])
			rows := (*[group * Side]uint8)(panel[g*Side:])
			for r := range sum {
				v := (*[group]uint8)(rows[r*group:])
				sum[r] += a*int32(v[0]) + b*int32(v[1]) + c*int32(v[2]) + d*int32(v[3])
			}
		}
		for r, s := range sum {
			out[p*Side+r] = norm[p*Side+r] - 2*s
		}
	}
}

const shift = 1.5 * (1 << 23)

// roundTwin is the plain twin of the kernel for codes (Scale.code). All slices have one length.
func roundTwin(code []int8, x, center []float32, reach []uint8, per float32) (widest uint32, sum int32) {
	code, center, reach = code[:len(x)], center[:len(x)], reach[:len(x)]
	// The bits of non-negative numbers are ordered like the numbers, with NaN above all.
	for k, v := range x {
		// Adding shift rounds to the nearest integer, if that is small.
		i := float32((v-center[k])*per) + shift - shift
		widest = max(widest, math.Float32bits(i)&^(1<<31))
		c := int8(int32(i))
		code[k] = c
		sum += int32(c) * (int32(c) + 2*int32(reach[k]))
	}
	return widest, sum
}

// runsTwin appends runs of groups, each as long as possible. The first two and the last two columns of
// a group are summed separately. A row has at most twice the reach in a column, and at least 0.
func runsTwin(to []uint8, code []int8, reach []uint8) []uint8 {
	const top = 1<<15 - 1
	var sums [group]int32 // those of positive and of negative products, of either two columns
	length := uint8(0)
	for k := 0; k < len(code); k += group {
		c, r := (*[group]int8)(code[k:]), (*[group]uint8)(reach[k:])
		var more [group]int32
		for i, v := range c {
			product := 2 * int32(v) * int32(r[i])
			negative := product >> 31 // all bits or none: a branch would often be wrong
			more[i/2] += product &^ negative
			more[2+i/2] -= product & negative
		}
		room := length < 255
		for i, v := range more {
			sums[i] += v
			room = room && sums[i] <= top
		}
		if !room {
			to = append(to, length)
			sums, length = more, 0
		}
		length++
	}
	return append(to, length)
}
