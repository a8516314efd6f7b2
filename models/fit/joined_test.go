package fit

import (
	"context"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
)

// A textbook kind whose graph of neighbours falls into parts says so: where the parts lie follows
// from few edges. One part needs no words, nor do kinds without such a graph.
func TestJoinedPartsAreWarnedOf(t *testing.T) {
	one := gaussian(120, []float64{1, 1, 1})
	two := vec.Matrix[float32]{Rows: one.Rows, Cols: one.Cols, Data: append([]float32(nil), one.Data...)}
	for i := range 60 {
		two.Row(i)[0] += 1000
	}
	for _, kind := range []string{"isomap", "lle", "ltsa", "eigenmaps", "pca", "mds"} {
		for _, x := range []vec.Matrix[float32]{one, two} {
			_, r, err := Fit(context.Background(), x, Spec{Kind: kind, Common: models.Common{Seed: 1, Neighbors: 20}}, func(string, int, int) {})
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			want := &x.Data[0] == &two.Data[0] && kind != "pca" && kind != "mds"
			if got := strings.Contains(strings.Join(r.Warnings, "\n"), "has 2 parts"); got != want {
				t.Errorf("%s: warnings %q, want one of parts: %v", kind, r.Warnings, want)
			}
		}
	}
}
