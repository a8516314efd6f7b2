package median

// Points are partitioned by a key and, for equal keys, by their number. This is a strict order, so
// that the two sides of a median are the same sets for any previous order of the points.

// before reports whether (a, i) stands before (b, j).
func before(a float64, i int32, b float64, j int32) bool {
	return a < b || a == b && i < j
}

// Split rearranges key and order together, so that the m smallest come first. Keys must not be NaN.
//
// It is quickselect with the median of three as pivot. If it takes more rounds than halving would,
// the rest is sorted.
func Split(key []float64, order []int32, m int) {
	lo, hi := 0, len(order)
	for rounds := 0; hi-lo > 8; rounds++ {
		if m <= lo || m >= hi {
			return
		}
		if rounds > 64 {
			Sort(key[lo:hi], order[lo:hi])
			return
		}
		a, b, c := lo, lo+(hi-lo)/2, hi-1
		if before(key[b], order[b], key[a], order[a]) {
			swap(key, order, a, b)
		}
		if before(key[c], order[c], key[b], order[b]) {
			swap(key, order, b, c)
			if before(key[b], order[b], key[a], order[a]) {
				swap(key, order, a, b)
			}
		}
		p, q := key[b], order[b]
		// key[a] <= pivot <= key[c], which bound the two scans.
		i, j := lo, hi-1
		for i <= j {
			for before(key[i], order[i], p, q) {
				i++
			}
			for before(p, q, key[j], order[j]) {
				j--
			}
			if i <= j {
				swap(key, order, i, j)
				i++
				j--
			}
		}
		// lo..j are at most the pivot, i..hi at least; between them is the pivot.
		switch {
		case m <= j:
			hi = j + 1
		case m >= i:
			lo = i
		default:
			return
		}
	}
	insertionSort(key[lo:hi], order[lo:hi])
}

func swap(key []float64, order []int32, i, j int) {
	key[i], key[j] = key[j], key[i]
	order[i], order[j] = order[j], order[i]
}

func insertionSort(key []float64, order []int32) {
	for i := 1; i < len(order); i++ {
		k, o := key[i], order[i]
		j := i
		for ; j > 0 && before(k, o, key[j-1], order[j-1]); j-- {
			key[j], order[j] = key[j-1], order[j-1]
		}
		key[j], order[j] = k, o
	}
}

// Sort sorts key and order together in ascending order, by heapsort.
func Sort(key []float64, order []int32) {
	n := len(order)
	for i := n/2 - 1; i >= 0; i-- {
		sift(key, order, i, n)
	}
	for n--; n > 0; n-- {
		swap(key, order, 0, n)
		sift(key, order, 0, n)
	}
}

// sift restores the heap of the first n elements below i.
func sift(key []float64, order []int32, i, n int) {
	for {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && before(key[c], order[c], key[c+1], order[c+1]) {
			c++
		}
		if !before(key[i], order[i], key[c], order[c]) {
			return
		}
		swap(key, order, i, c)
		i = c
	}
}
