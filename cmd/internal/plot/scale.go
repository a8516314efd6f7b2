package plot

import (
	"math"
	"slices"
	"strings"
	"time"

	"unfold/internal/quantile"
)

// Scale is the conversion of values to colours.
type Scale int

const (
	// Linear colours by the values themselves.
	Linear Scale = iota
	// Log uses logarithms. If there are zeros, v becomes log(1 + v/c), where c is the least
	// positive value; negative values are unknown.
	Log
	// Time interprets values as milliseconds since 1970: the ticks are dates and times.
	Time
)

// scale maps values to [0,1].
type scale struct {
	kind     Scale
	from, to float64 // ends, as values
	offset   float64 // c of Log; 1 if all values are 0, 0 if none is
}

// newScale fits a scale to values; from and to are its ends unless they are equal.
func newScale(kind Scale, v []float64, from, to float64) scale {
	s := scale{kind: kind, from: from, to: to}
	sorted := make([]float64, 0, len(v))
	for _, x := range v {
		if isFinite(x) && (kind != Log || x >= 0) {
			sorted = append(sorted, x)
		}
	}
	slices.Sort(sorted)
	if zeros, _ := slices.BinarySearch(sorted, math.SmallestNonzeroFloat64); kind == Log && zeros > 0 {
		s.offset = 1
		if zeros < len(sorted) {
			s.offset = sorted[zeros]
		}
	}
	if s.from == s.to {
		s.from, s.to = middle(sorted, kind)
	}
	if kind == Log && !(s.of(s.from) < s.of(s.to)) { // all values are equal
		s.from, s.to = s.from/2, 2*s.to
		if s.to == 0 {
			s.to = s.offset
		}
	}
	return s
}

// of returns the transformed value in which the scale is linear.
func (s scale) of(v float64) float64 {
	switch {
	case s.kind != Log:
		return v
	case v < 0:
		return math.NaN()
	case s.offset > 0 && math.IsInf(v/s.offset, 1):
		return math.Log10(v) - math.Log10(s.offset)
	case s.offset > 0:
		return math.Log10(1 + v/s.offset)
	}
	return math.Log10(v)
}

// at returns the position of a value on the scale, 0 at its start and 1 at its end; NaN for an
// unknown value.
func (s scale) at(v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	a, b := s.of(s.from), s.of(s.to)
	return (s.of(v) - a) / (b - a)
}

// known reports whether a value has a position on the scale.
func (s scale) known(v float64) bool { return !math.IsNaN(s.at(v)) }

// middle returns the 1st and the 99th percentile of ascending values, widened if they are equal;
// for times it returns the first and the last.
func middle(sorted []float64, kind Scale) (from, to float64) {
	if len(sorted) == 0 {
		return 0, 1
	}
	from, to = quantile.Of(sorted, 0.01), quantile.Of(sorted, 0.99)
	if from == to || kind == Time {
		from, to = sorted[0], sorted[len(sorted)-1]
	}
	if from == to && kind != Log {
		from, to = from-0.5, to+0.5
	}
	return from, to
}

type mark struct {
	at   float64 // in [0,1]
	text string
}

// marks returns the scale's ends and about the given number of ticks between them.
func (s scale) marks(about int, below, above bool) []mark {
	first, last := mark{0, s.text(s.from)}, mark{1, s.text(s.to)}
	if below {
		first.text = "≤ " + first.text
	}
	if above {
		last.text = "≥ " + last.text
	}
	out := []mark{first}
	room := 0.7 / float64(about)
	for _, v := range s.steps(about) {
		if at := s.at(v); at > out[len(out)-1].at+room && at < 1-room {
			out = append(out, mark{at, s.text(v)})
		}
	}
	return append(out, last)
}

// steps returns round values between the ends, ascending.
func (s scale) steps(about int) (out []float64) {
	switch s.kind {
	case Log:
		low := math.Max(s.from, math.Max(s.offset, math.SmallestNonzeroFloat64))
		if s.from == 0 {
			out = append(out, 0)
		}
		decades := math.Log10(s.to) - math.Log10(low)
		every := max(1, int(math.Ceil(decades/float64(about))))
		for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(s.to))); e++ {
			if e%every != 0 {
				continue
			}
			for _, m := range []float64{1, 2, 5} {
				if v := m * math.Pow(10, float64(e)); (m == 1 || decades < float64(about)/3) && v >= low && v <= s.to {
					out = append(out, v)
				}
			}
		}
	case Time:
		out = timeSteps(s.from, s.to, about)
	default:
		step := niceStep((s.to - s.from) / float64(about))
		for k := math.Ceil(s.from / step); k*step <= s.to; k++ {
			out = append(out, k*step)
		}
	}
	return out
}

func (s scale) text(v float64) string {
	switch {
	case s.kind == Time:
		return timeText(v, s.to-s.from)
	case s.kind == Log && v != 0:
		return trimmed(number(v, math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)))
	}
	return trimmed(number(v, (s.to-s.from)/50))
}

// trimmed cuts zeros behind a decimal point.
func trimmed(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

const (
	second = 1000.0 // milliseconds
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// timeSteps returns round times between two, in milliseconds since 1970, UTC.
func timeSteps(from, to float64, about int) (out []float64) {
	const slack = 0.95 // years differ in length
	each := slack * (to - from) / float64(about)
	for _, step := range []float64{1, 10, 100, second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, day, 2 * day, 7 * day} {
		if step >= each {
			for k := math.Ceil(from / step); k*step <= to; k++ {
				out = append(out, k*step)
			}
			return out
		}
	}
	months := 12 * max(1, int(niceStep(each/(365*day))))
	for _, m := range []int{1, 2, 3, 6} {
		if float64(m)*31*day >= each {
			months = m
			break
		}
	}
	first := time.UnixMilli(int64(from)).UTC()
	t := time.Date(first.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	for range 10_000 {
		if at := float64(t.UnixMilli()); at > to {
			break
		} else if at >= from {
			out = append(out, at)
		}
		t = t.AddDate(0, months, 0)
	}
	return out
}

// timeText writes a time with the precision that a span of times needs.
func timeText(v, span float64) string {
	layout := "2006-01-02"
	switch {
	case !isFinite(v) || math.Abs(v) > 250_000*365*day/1000:
		return number(v, span/50)
	case span <= 10*second:
		layout = "15:04:05.000"
	case span <= 2*minute:
		layout = "15:04:05"
	case span <= day:
		layout = "15:04"
	case span <= 4*day:
		layout = "01-02 15:04"
	case span > 20*365*day:
		layout = "2006"
	}
	return time.UnixMilli(int64(v)).UTC().Format(layout)
}
