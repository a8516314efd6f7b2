package projection_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/pca"
	. "unfold/models/projection"
	"unfold/models/snapshot"
)

// A projection that was stored in a snapshot gives the same bits, and Undo is its inverse if no
// direction is dropped.
func TestStoreAndUndo(t *testing.T) {
	x := modeltest.Events(5, 60, 6)
	for i := range x.Rows {
		x.Row(i)[2] = 7
	}
	components, explained, err := Fit(context.Background(), x, 6, 1e-10, pca.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if len(explained.Variance) != 5 {
		t.Fatalf("%d components of five columns that vary", len(explained.Variance))
	}
	selected, kept := Select(x, []int{2})
	tests := []struct {
		name string
		p    *Projection
		seen int
	}{
		{"none", None(6), 6},
		{"components", components, 5},
		{"columns", selected, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			z, err := tt.p.Learn(x, 2)
			if err != nil || z.Cols != tt.seen || tt.p.Identity() != (tt.name == "none") {
				t.Fatalf("the model sees %d of %d elements, want %d: %v", z.Cols, tt.p.Dim(), tt.seen, err)
			}
			var s snapshot.Snapshot
			tt.p.Store(&s)
			again := Of(&s)
			back := make([]float32, 6)
			for i := range x.Rows {
				one := again.Apply(x.Slice(i, i+1), 1)
				for c, v := range one.Data {
					if v != z.Row(i)[c] {
						t.Fatalf("row %d, element %d is %v alone and after a snapshot, %v before", i, c, v, z.Row(i)[c])
					}
				}
				again.Undo(back, one.Data)
				for c, v := range x.Row(i) {
					if math.Abs(float64(back[c]-v)) > 1e-5 {
						t.Fatalf("row %d, element %d comes back as %v, was %v", i, c, back[c], v)
					}
				}
			}
		})
	}
	for i := range x.Rows {
		for c, v := range selected.Apply(x, 1).Row(i) {
			if v != kept.Row(i)[c] {
				t.Fatalf("row %d, column %d kept is %v, projected %v", i, c, kept.Row(i)[c], v)
			}
		}
	}
}

// The error of an overflowing projection names the row and its largest value.
func TestOverflow(t *testing.T) {
	x := vec.Of(2, 2, []float32{1, 2, 3e38, 3.3e38})
	components := vec.Of(1, 2, []float32{float32(math.Sqrt(0.5)), float32(math.Sqrt(0.5))})
	p := Of(&snapshot.Snapshot{Dim: 2, Mean: make([]float32, 2), Components: components})
	if _, err := p.Learn(x, 1); !models.IsBadInput(err) {
		t.Errorf("learning: %v, want bad input", err)
	}
	var row *models.RowError
	if err := p.Overflow(x, p.Apply(x, 1), []string{"a", "b"}); !errors.As(err, &row) || row.Row != 1 || row.Name != "b" {
		t.Errorf("%v, want row 1 and column b", err)
	}
	if err := p.Overflow(x.Slice(0, 1), p.Apply(x.Slice(0, 1), 1), nil); err != nil {
		t.Error(err)
	}
}
