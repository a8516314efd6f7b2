package placing

import (
	"math/rand/v2"
	"slices"
)

// Sample returns most of the numbers 0 to n-1, or all if there are fewer, in ascending order: the
// points that a model learns if it cannot learn all.
func Sample(n, most int, seed uint64) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	if most = min(n, most); most == n {
		return out
	}
	rnd := rand.New(rand.NewPCG(seed, 0x5a_3e))
	rnd.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	out = out[:most]
	slices.Sort(out)
	return out
}
