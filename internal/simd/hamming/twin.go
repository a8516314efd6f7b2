package hamming

import "math/bits"

// withinTwin is the plain twin of the kernels.
func withinTwin(mask, queries, limit []uint64, words int, panel []uint64) {
	for r, most := range limit {
		var count [Width]uint64
		for k, q := range queries[r*words:][:words] {
			line := (*[Width]uint64)(panel[k*Width:])
			for j, w := range line {
				count[j] += uint64(bits.OnesCount64(w ^ q))
			}
		}
		var pass uint64
		for j, n := range count {
			if n <= most {
				pass |= 1 << j
			}
		}
		mask[r] = pass
	}
}
