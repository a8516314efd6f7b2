package config

import (
	"strings"
	"testing"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"1": 1, "1048576": 1 << 20, "7B": 7, "64KiB": 64 << 10, "64 MiB": 64 << 20, "1.5GiB": 3 << 29, "1TiB": 1 << 40,
		"10KB": 1e4, "500MB": 5e8, "2GB": 2e9, "0.5TB": 5e11, "1e6": 1e6,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is %d (%v), expected %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "B", "GiB", "2gigs", "-1GiB", "0", "0.1", "NaN", "InfMB", "1e30", "2GiBs", "2 G"} {
		s := Size(5)
		err := s.UnmarshalText([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "write it as 2GiB") || s != 5 {
			t.Errorf("%q is taken for %d (%v)", text, s, err)
		}
	}
}
