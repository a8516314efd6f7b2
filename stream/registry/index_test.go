package registry

import (
	"slices"
	"strings"
	"testing"
)

// TestIndex: paths of indexes as Confluent writes them.
func TestIndex(t *testing.T) {
	for text, want := range map[string][]int{"\x00": {0}, "\x02\x00": {0}, "\x02\x02": {1}, "\x04\x02\x06": {1, 3}} {
		index, rest, err := ParseIndex([]byte(text + "rest"))
		if err != nil || !slices.Equal(index, want) || string(rest) != "rest" {
			t.Errorf("%q: %v %q %v", text, index, rest, err)
		}
		if back, _, err := ParseIndex(AppendIndex(nil, want)); err != nil || !slices.Equal(back, want) {
			t.Errorf("%v became %v, %v", want, back, err)
		}
	}
	if b := AppendIndex(nil, []int{0}); string(b) != "\x00" {
		t.Errorf("[0] is written as %q", b)
	}
	for _, bad := range []string{"", "\x04\x02", "\x01", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x02\x01", "\xfe\xff\xff\x0f" + strings.Repeat("\x00", 100)} {
		if index, _, err := ParseIndex([]byte(bad)); err == nil {
			t.Errorf("%q is %v", bad, index)
		}
	}
}
