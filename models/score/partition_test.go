package score

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Partitions agrees with examples of scikit-learn's documentation, and with pairs counted one by
// one.
func TestPartitions(t *testing.T) {
	for _, c := range []struct {
		name         string
		group, class []int32
		rand, info   float64
	}{
		{"the same under other numbers", []int32{0, 0, 1, 1}, []int32{5, 5, 2, 2}, 1, 1},
		{"one class in two groups", []int32{0, 0, 1, 2}, []int32{0, 0, 1, 1}, 4. / 7, 0.8},
		{"noise is a group", []int32{0, 0, -1, 2}, []int32{0, 0, 1, 1}, 4. / 7, 0.8},
		{"a point has no class", []int32{0, 0, 1, 2, 0}, []int32{0, 0, 1, 1, Missing}, 4. / 7, 0.8},
		{"one group", []int32{0, 0, 0, 0}, []int32{0, 1, 2, 3}, 0, 0},
		{"one group, one class", []int32{0, 0}, []int32{3, 3}, 1, 1},
		{"worse than by chance", []int32{0, 0, 1, 1}, []int32{0, 1, 0, 1}, -0.5, 0},
	} {
		p, err := Partitions(c.group, c.class)
		if err != nil || math.Abs(p.Rand-c.rand) > 1e-12 || math.Abs(p.Information-c.info) > 1e-12 {
			t.Errorf("%s: %+v, %v; want %v and %v", c.name, p, err, c.rand, c.info)
		}
	}
	for name, c := range map[string][]int32{"other lengths": {1}, "one point with a class": {1, Missing}} {
		if p, err := Partitions([]int32{0, 0}, c); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		labels := rapid.SliceOfN(rapid.Int32Range(0, 3), n, n)
		a, b := labels.Draw(t, "groups"), labels.Draw(t, "classes")
		var both, inA, inB, all float64
		for i := range a {
			for j := range i {
				all++
				if a[i] == a[j] {
					inA++
				}
				if b[i] == b[j] {
					inB++
				}
				if a[i] == a[j] && b[i] == b[j] {
					both++
				}
			}
		}
		want := 1.0
		if e := inA * inB / all; (inA+inB)/2 != e {
			want = (both - e) / ((inA+inB)/2 - e)
		}
		p, err := Partitions(a, b)
		q, _ := Partitions(b, a)
		if err != nil || math.Abs(p.Rand-want) > 1e-12 || math.Abs(p.Rand-q.Rand) > 1e-12 || math.Abs(p.Information-q.Information) > 1e-12 || p.Information > 1+1e-12 {
			t.Fatalf("%+v, the other way round %+v, %v; want %v", p, q, err, want)
		}
	})
}
