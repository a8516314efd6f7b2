package topk

// Range is where Least looks for a bound.
type Range struct {
	// No key is less than Low. Those that are not less than High do not count.
	Low, High int32
	// First is a bound that is likely to be good, and Step how far the second is from
	// it, at least 1.
	First, Step int32
}

// Least writes to at the positions of the least n elements of s, ascending, as Below
// does, and returns their number and the bound below which they are. There may be up
// to an eighth more, and more that are equal to the last; there are fewer if so
// many do not count.
func Least(at, s []int32, n int, r Range) (found int, bound int32) {
	// Below low there are too few, below high as many as one likes. They are known to
	// be on both sides once steps have come to an end.
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
