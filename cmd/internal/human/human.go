// Package human writes figures for people: counts with commas, spans of time and
// sizes with a unit that fits.
package human

import (
	"fmt"
	"strconv"
	"time"
)

// Count writes a number with commas between thousands.
func Count[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Span writes a time span: 0.35s, 4.2s, 28s, 2m5s.
func Span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Rate writes how many a second n in so long are: 8.3, 120, 14,000.
func Rate(n int64, took time.Duration) string {
	v := float64(n) / max(took.Seconds(), 1e-9)
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return Count(int64(v))
}

// Bytes writes a size: 312 B, 4.2 MiB, 1.1 GiB.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, k := float64(n), 0
	for v >= 1024 && k < len(units)-1 {
		v /= 1024
		k++
	}
	if k == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[k])
}

// Plural writes a count with its noun: "1 row", "2,000 rows".
func Plural[T ~int | ~int32 | ~int64 | ~uint64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}
