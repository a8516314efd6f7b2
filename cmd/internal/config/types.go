package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"unfold/internal/setting"
)

// Duration is a time span, formatted as 500ms, 10s or 1h30m.
type Duration time.Duration

// UnmarshalText parses a span that is not negative.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time span; write it as 500ms, 10s, 5m or 1h30m", text)
	}
	if v < 0 {
		return fmt.Errorf("%q is negative", text)
	}
	*d = Duration(v)
	return nil
}

// String formats the span. UnmarshalText parses the result.
func (d Duration) String() string { return time.Duration(d).String() }

// Share is a part of a whole, formatted as 1% or 0.01.
type Share float64

// UnmarshalText parses a share in 0..1.
func (s *Share) UnmarshalText(text []byte) error {
	number, percent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return fmt.Errorf("%q is not a share; write it as 1%% or 0.01", text)
	}
	*s = Share(v)
	return nil
}

// String formats the share in percent.
func (s Share) String() string {
	return strconv.FormatFloat(math.Round(float64(s)*1e12)/1e10, 'f', -1, 64) + "%"
}

// Auto is a positive number, or 0 for auto. Every also allows -1 for never. NonNegative is a number
// of at least 0, or -1 for auto.
type (
	Auto        = setting.Auto
	Every       = setting.Every
	NonNegative = setting.NonNegative
)
