package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The targets find the number of rows that takes longer than the next one, and the jump at 30,000.
func TestSizes(t *testing.T) {
	r := &record{}
	for i, s := range sizeSets {
		for k, n := range sizeCounts[:8] {
			r.add(own, sizeTime(s.name, n), seconds, float64(k+1))
			r.add(own, sizeTrust(s.name, n), plain, 0.9+float64(k)/100)
		}
		if i == 1 {
			r.add(own, sizeTime(s.name, 50_000), seconds, 4)
			r.add(own, sizeTrust(s.name, 50_000), plain, 0.95)
		}
	}
	for want, got := range map[string]func(*record) (float64, bool){
		"2":     worstStep(sizeTime, func(fewer, more float64) float64 { return fewer / more }),
		"1.143": aroundThirty(sizeTime, func(a, b float64) float64 { return math.Max(a/b, b/a) }),
		"0.02":  worstStep(sizeTrust, func(fewer, more float64) float64 { return fewer - more }),
	} {
		if v, ok := got(r); !ok || quantity(v, plain) != want {
			t.Errorf("%v, %v; want %s", v, ok, want)
		}
	}
	path := filepath.Join(t.TempDir(), "sizes.png")
	if err := drawSizes(r, path); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Size() < 1000 {
		t.Errorf("the picture: %v, %v", st, err)
	}
	if _, ok := worstStep(sizeTime, func(a, b float64) float64 { return a / b })(&record{}); ok {
		t.Error("nothing was measured, and the target has a figure")
	}
}
