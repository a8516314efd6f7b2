package topk

// Range is the search range for a bound of Least.
type Range struct {
	// No key is less than Low. Keys of at least High are ignored.
	Low, High int32
	// First is a guess of the bound, and Step, at least 1, the distance from it to the second
	// guess.
	First, Step int32
}

// Least writes to at the positions of the n smallest elements of s, ascending, as Below does. It
// returns their number and the bound that they are below. There may be up to an eighth more, and
// more that are equal to the last; there are fewer if fewer are below High.
func Least(at, s []int32, n int, r Range) (found int, bound int32) {
	// Below low there are too few, and below high enough or too many. Both are certain once the
	// doubling steps have ended.
	low, high, first := int64(r.Low), int64(r.High), int64(r.First)
	b, step := min(max(first, low+1), high), max(1, int64(r.Step))
	for {
		switch found := Count(s, int32(b)); {
		case found < n && b < int64(r.High):
			low = b
		case found > n+n/8+2 && b > low+1:
			high = b
		default:
			return Below(at, s, int32(b)), int32(b)
		}
		switch {
		case high == int64(r.High) && b < high:
			b = min(b+step, high)
			step *= 2
		case low == int64(r.Low):
			b = max(b-step, low+1)
			step *= 2
		default:
			b = low + (high-low+1)/2
		}
	}
}
