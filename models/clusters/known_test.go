package clusters

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse"
)

// givenPoints returns the distances of n points of a line with equal distances, in groups.
func givenPoints(n int) vec.Matrix[float64] {
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]float64, n)
	for i := range at {
		at[i] = float64(i%3*40 + random.IntN(12))
	}
	d := vec.New[float64](n, n)
	for i := range at {
		for j := range at {
			d.Row(i)[j] = math.Abs(at[i] - at[j])
		}
	}
	return d
}

// upTo returns the entries of d up to a distance, in one direction if once is set.
func upTo(d vec.Matrix[float64], most float64, once bool) *sparse.Rows {
	var start, index []int
	var data []float64
	for i := range d.Rows {
		start = append(start, len(index))
		for j, v := range d.Row(i) {
			if v <= most && (!once || j > i) {
				index, data = append(index, j), append(data, v)
			}
		}
	}
	return sparse.NewRows(d.Rows, d.Rows, append(start, len(index)), index, data)
}

// TestKnown: the clusters do not change if distances longer than every edge of the spanning tree
// are unknown.
func TestKnown(t *testing.T) {
	d := givenPoints(90)
	for _, ties := range []Ties{Together, Apart} {
		set := Settings{MinSize: 8, MinSamples: 4, Ties: ties}
		want, err := FindDistances(t.Context(), d, set)
		if err != nil {
			t.Fatal(err)
		}
		for name, some := range map[string]*sparse.Rows{"all": upTo(d, math.Inf(1), false), "once": upTo(d, math.Inf(1), true), "near": upTo(d, 45, false)} {
			got, err := FindKnown(t.Context(), some, set)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Label, want.Label) || !reflect.DeepEqual(got.Hierarchy(), want.Hierarchy()) || !reflect.DeepEqual(got.Core2, want.Core2) {
				t.Errorf("%s, ties %v: other clusters than of all distances", name, ties)
			}
		}
	}
	for want, bad := range map[string]*sparse.Rows{
		"do not connect":    upTo(d, 14, false),
		"known distances":   upTo(d, 0, false),
		"not negative":      sparse.NewRows(2, 2, []int{0, 1, 1}, []int{1}, []float64{-1}),
		"distances are 2 x": sparse.NewRows(2, 3, []int{0, 1, 1}, []int{1}, []float64{1}),
	} {
		if _, err := FindKnown(t.Context(), bad, Settings{MinSize: 8, MinSamples: 8}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}
