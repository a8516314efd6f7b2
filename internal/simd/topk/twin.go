package topk

// belowTwin is the plain twin of the kernel for positions.
func belowTwin(at, s []int32, bound int32) int {
	n := 0
	for i, v := range s {
		at[n] = int32(i)
		if v < bound {
			n++
		}
	}
	return n
}

// countTwin is the plain twin of the kernels that count.
func countTwin(s []int32, bound int32) int {
	n := 0
	for _, v := range s {
		if v < bound {
			n++
		}
	}
	return n
}

// ranksTwin is the plain twin of the kernels for ranks.
func ranksTwin(rank, s []int32, n int) {
	for i, v := range s {
		rank[i] = int32(countTwin(s[:n], v))
	}
}
