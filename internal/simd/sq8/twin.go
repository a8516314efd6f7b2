package sq8

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
