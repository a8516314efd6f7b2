package jsonrec

import (
	"bytes"
	"math"
	"strconv"
)

// number is a parsed JSON number.
type number struct {
	raw []byte
	// digits holds at most the first 19 significant digits. If exact is set the number equals
	// digits * 10^exp.
	digits   uint64
	exp      int
	negative bool
	exact    bool
	// fraction is set if the number has a point or an exponent.
	fraction bool
	// named is NaN or an infinity if the number is written by name, as Python's json does, else 0.
	named float64
}

// number reads a number.
func (s *scanner) number() (n number, ok bool) {
	d, i := s.data, s.at
	if i < len(d) && d[i] == '-' {
		n.negative = true
		i++
	}
	from := i
	for i < len(d) && d[i]-'0' <= 9 {
		n.digits = n.digits*10 + uint64(d[i]-'0')
		i++
	}
	figures := i - from
	if figures == 0 {
		if n.named, i = nameOf(d, i, n.negative); n.named != 0 {
			n.fraction, n.raw, s.at = true, d[s.at:i], i
			return n, true
		}
		if !n.negative {
			return n, s.fail(s.at, "%s where a value is expected", s.found())
		}
		s.at = i
		return n, s.fail(s.at, "%s where a digit is expected", s.found())
	}
	if figures > 1 && d[from] == '0' {
		return n, s.fail(from, "a number begins with 0")
	}
	if i < len(d) && d[i] == '.' {
		i++
		from := i
		for i < len(d) && d[i]-'0' <= 9 {
			n.digits = n.digits*10 + uint64(d[i]-'0')
			i++
		}
		n.fraction, n.exp, figures = true, from-i, figures+i-from
		if from == i {
			s.at = i
			return n, s.fail(s.at, "%s where a digit is expected", s.found())
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		if i, ok = s.exponent(&n, i+1); !ok {
			return n, false
		}
	}
	// 19 digits fit into 64 bits.
	n.exact = figures <= 19
	n.raw, s.at = d[s.at:i], i
	return n, true
}

// nameOf reads NaN or Infinity at offset i, and returns the offset behind it; 0 if there is neither.
func nameOf(d []byte, i int, negative bool) (v float64, end int) {
	rest := d[min(i, len(d)):]
	switch {
	case bytes.HasPrefix(rest, []byte("NaN")):
		return math.NaN(), i + len("NaN")
	case bytes.HasPrefix(rest, []byte("Infinity")):
		if v = math.Inf(1); negative {
			v = math.Inf(-1)
		}
		return v, i + len("Infinity")
	}
	return 0, i
}

// exponent reads the digits of an exponent, from i on.
func (s *scanner) exponent(n *number, i int) (end int, ok bool) {
	d, minus, e := s.data, false, 0
	if i < len(d) && (d[i] == '+' || d[i] == '-') {
		minus = d[i] == '-'
		i++
	}
	from := i
	for i < len(d) && d[i]-'0' <= 9 {
		e = min(e*10+int(d[i]-'0'), 1e6)
		i++
	}
	if i == from {
		s.at = i
		return i, s.fail(s.at, "%s where a digit is expected", s.found())
	}
	if minus {
		e = -e
	}
	n.fraction, n.exp = true, n.exp+e
	return i, true
}

// powers holds the powers of ten that float64 represents exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// float returns the nearest float64, and false if the number is out of range.
func (n *number) float() (float64, bool) {
	if n.named != 0 {
		return n.named, true
	}
	// Both factors are exact, so that their product or quotient is rounded once.
	if n.exact && n.digits < 1<<53 && n.exp >= -22 && n.exp <= 22 {
		v := float64(n.digits)
		if n.exp < 0 {
			v /= powers[-n.exp]
		} else {
			v *= powers[n.exp]
		}
		if n.negative {
			v = -v
		}
		return v, true
	}
	v, err := strconv.ParseFloat(view(n.raw), 64)
	return v, err == nil
}

// integer returns the number's magnitude if it is written as an integer in the range of int64 or
// uint64.
func (n *number) integer() (magnitude uint64, ok bool) {
	if n.fraction {
		return 0, false
	}
	if n.exact && n.digits <= math.MaxInt64 {
		return n.digits, true
	}
	raw := n.raw
	if n.negative {
		raw = raw[1:]
	}
	v, err := strconv.ParseUint(view(raw), 10, 64)
	return v, err == nil && (!n.negative || v <= 1<<63)
}
