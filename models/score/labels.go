package score

import "slices"

// Missing is the class of a point without a label. Such points neither vote nor are tested.
const Missing int32 = -1

// Classes numbers labels in ascending order of their text. The empty text becomes Missing.
func Classes(labels []string) (class []int32, names []string) {
	number := map[string]int32{}
	for _, l := range labels {
		if _, ok := number[l]; l != "" && !ok {
			number[l] = 0
			names = append(names, l)
		}
	}
	slices.Sort(names)
	for i, l := range names {
		number[l] = int32(i)
	}
	class = make([]int32, len(labels))
	for i, l := range labels {
		if class[i] = Missing; l != "" {
			class[i] = number[l]
		}
	}
	return class, names
}

// vote returns the most frequent class among the neighbours, the smallest of equally frequent ones.
// It returns Missing if no neighbour has a label.
func vote(near []int32, class []int32) int32 {
	best, votes := Missing, 0
	for m, j := range near {
		c := class[j]
		if c == Missing || slices.ContainsFunc(near[:m], func(i int32) bool { return class[i] == c }) {
			continue
		}
		n := 0
		for _, i := range near[m:] {
			if class[i] == c {
				n++
			}
		}
		if n > votes || n == votes && c < best {
			best, votes = c, n
		}
	}
	return best
}
