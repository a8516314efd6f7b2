package student

// singlePoints is the number of points from which the length scales of pairs are stored in single
// precision. They are a fifth of a large problem's memory and of the memory that a step reads.
const singlePoints = 5_000

// pairLengths are the squared length scales delta_ij^2 of the entries of a pattern, in its order.
// Either double or single is used.
type pairLengths struct {
	double []float64
	single []float32
}

// newPairLengths allocates the length scales of the given number of entries.
func newPairLengths(single bool, entries int) pairLengths {
	if single {
		return pairLengths{single: make([]float32, entries)}
	}
	return pairLengths{double: make([]float64, entries)}
}

// SingleLengths reports whether the length scales of a map of n points are in single precision.
func SingleLengths(n int) bool { return n >= singlePoints }

// LengthBytes returns the bytes per length scale in a problem of n points.
func LengthBytes(n int) int {
	if SingleLengths(n) {
		return 4
	}
	return 8
}

// SingleSystem reports whether the systems of n points in d dimensions are in single precision.
func SingleSystem(n, d int) bool { return onMap(d) && SingleLengths(n) }

// onMap reports whether d is 2 or 3, the dimensions that have kernels.
func onMap(d int) bool { return d == 2 || d == 3 }

// at returns the length scale of entry q.
func (l *pairLengths) at(q int) float64 {
	if l.single != nil {
		return float64(l.single[q])
	}
	return l.double[q]
}

// set sets the length scale of entry q.
func (l *pairLengths) set(q int, v float64) {
	if l.single != nil {
		l.single[q] = float32(v)
		return
	}
	l.double[q] = v
}

func (l *pairLengths) entries() int { return len(l.double) + len(l.single) }

func (l *pairLengths) bytes() int64 { return 8*int64(len(l.double)) + 4*int64(len(l.single)) }
