package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes in text such as 2GiB, 500MB or 1048576.
type Size int64

// units of sizes. A unit that is the end of another comes after it.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// UnmarshalText parses a size of at least one byte.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := string(text), 1.
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimRight(n, " "), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if v *= unit; err != nil || !(v >= 1 && v < math.MaxInt64) {
		return fmt.Errorf("%q is not a size; write it as 2GiB, 500MB or a number of bytes", text)
	}
	*s = Size(v)
	return nil
}

// String formats the size in the largest unit that divides it. UnmarshalText parses the result.
func (s Size) String() string {
	for _, u := range []struct {
		name  string
		bytes Size
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
