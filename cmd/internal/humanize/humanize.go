// Package humanize formats figures for people in the same way for all commands: counts with commas,
// durations and sizes with suitable units. It is go-humanize with this program's choices.
package humanize

import (
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Count writes a number with commas between thousands.
func Count[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](n T) string {
	return humanize.Comma(int64(n))
}

// Span writes a time span: 0.35s, 4.2s, 28s, 2m5s.
func Span(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return d.Round(time.Second).String()
}

// Rate formats n divided by a duration, per second: 8.3, 120, 14,000.
func Rate(n int64, took time.Duration) string {
	v := float64(n) / max(took.Seconds(), 1e-9)
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return Count(int64(v))
}

// Bytes writes a size with one digit behind the point: 312 B, 4.2 MiB, 1.1 GiB.
func Bytes(n int64) string {
	whole, behind := n, 0
	for ; whole >= 1024; whole /= 1024 {
		behind = 1
	}
	return humanize.IBytesN(uint64(n), len(strconv.FormatInt(whole, 10))+behind)
}

// Plural writes a count with its noun: "1 row", "2,000 rows".
func Plural[T ~int | ~int32 | ~int64 | ~uint64](n T, noun string) string {
	return Count(n) + " " + english.PluralWord(int(n), noun, "")
}
