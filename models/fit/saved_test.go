package fit

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// unevenRows draws rows with ties, equal ones, near duplicates and some far from all others.
func unevenRows(t *rapid.T, n int) vec.Matrix[float32] {
	x := vec.New[float32](n, 3)
	spread := rapid.SampledFrom([]float64{1e-18, 1, 1e12}).Draw(t, "spread")
	for i := range n {
		far := rapid.SampledFrom([]float64{0, 0, 0, 0, 1000}).Draw(t, "far")
		near := rapid.SampledFrom([]float64{0, 0, 0, 1e-4}).Draw(t, "near")
		for c := range 3 {
			x.Row(i)[c] = float32(spread * (far + near*rapid.Float64Range(0, 1).Draw(t, "jitter") + float64(rapid.IntRange(-4, 4).Draw(t, "value"))))
		}
	}
	return x
}

// poorLists returns the k nearest other rows of every row, with a share replaced by random rows.
func poorLists(t *rapid.T, x vec.Matrix[float32], k int) *knn.Given {
	g := &knn.Given{N: x.Rows, K: k}
	lost := rapid.Float64Range(0, 1).Draw(t, "lost")
	exact := knntest.BruteGraph(x, x.Rows-1)
	for i := range x.Rows {
		near, _ := exact.Row(i)
		var list, rest []int32
		for _, j := range near {
			if len(list) < k && rapid.Float64Range(0, 1).Draw(t, "found") >= lost {
				list = append(list, j)
			} else {
				rest = append(rest, j)
			}
		}
		g.Index = append(g.Index, append(list, rest...)[:k]...)
	}
	return g
}

// A fit either refuses its data with a reason, or makes a map that can be saved, read and used for
// placing, even with poor lists.
func TestFitsAreSaved(t *testing.T) {
	specs := []Spec{
		{},
		{LVM: lvm.Options{Tails: lvm.Gaussian}},
		{LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Level: 1, Core: 2}}},
		{LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Components: saul.Largest}}},
	}
	specs = append(specs, Spec{Kind: "others"})
	for at, spec := range specs {
		t.Run(fmt.Sprint(at, spec.Kind), func(t *testing.T) {
			saved := 0
			rapid.Check(t, func(t *rapid.T) {
				x, spec := unevenRows(t, rapid.IntRange(12, 40).Draw(t, "n")), spec
				if spec.Kind != "" {
					spec.Kind = rapid.SampledFrom(Kinds{}.Names()[1:]).Draw(t, "kind")
				}
				spec.Common = models.Common{Steps: 3, Neighbors: 4, Seed: 1}
				spec.NoveltyK, spec.PCA = 4, PCANone
				if spec.Kind == "" && rapid.Bool().Draw(t, "given") {
					spec.Given = poorLists(t, x, 9)
					if rapid.Bool().Draw(t, "distances") {
						spec.Given.Dist = rapid.SliceOfN(rapid.SampledFrom([]float32{0, 0, 1e-30, 1, 2, 2, 1e6}), 9*x.Rows, 9*x.Rows).Draw(t, "apart")
					}
				}
				s, _, err := Fit(t.Context(), x, spec, nil)
				if err != nil {
					if !models.IsBadInput(err) {
						t.Fatal(err)
					}
					return
				}
				var file bytes.Buffer
				if err := snapshot.Write(&file, s); err != nil {
					t.Fatalf("the fit cannot be saved: %v", err)
				}
				again, err := snapshot.Read(&file)
				if err != nil {
					t.Fatal(err)
				}
				p, err := Open(again, placing.Options{})
				if err != nil {
					t.Fatal(err)
				}
				placed, err := p.Place(t.Context(), x)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range placed.Mu.Data {
					if math.IsNaN(float64(v)) {
						t.Fatalf("row %d has no place", i/placed.Mu.Cols)
					}
				}
				saved++
			})
			if saved == 0 {
				t.Error("no fit was saved")
			}
		})
	}
}
