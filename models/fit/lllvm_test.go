package fit

import (
	"context"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/lllvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// strip returns points of a curved strip in the given number of dimensions.
func strip(n, dim int) vec.Matrix[float32] {
	x := vec.New[float32](n, dim)
	for i := range n {
		u, v := float64(i%20)/20, float64(i/20)/float64(n/20)
		for c := range dim {
			x.Row(i)[c] = float32(math.Sin(2*u+float64(c)) + 0.7*v*math.Cos(float64(c)) + 0.01*math.Sin(float64(37*i*(c+1))))
		}
	}
	return x
}

// openStrip learns a strip and opens its map.
func openStrip(t *testing.T, pca int) (*snapshot.Snapshot, *lllvm.Placer, vec.Matrix[float32]) {
	t.Helper()
	x := strip(200, 8)
	s, _, err := Fit(context.Background(), x, Spec{Kind: LLLVM, PCA: pca, Common: models.Common{Steps: 60, Seed: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, p.(*lllvm.Placer), x
}

// The place of a point decodes to nearly the point's vector. It is nearer than other points, and
// within a few of the model's standard deviations.
func TestPlacesLeadBackToTheData(t *testing.T) {
	for _, pca := range []int{PCANone, 4} {
		_, p, x := openStrip(t, pca)
		placed, err := p.Place(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		back, err := p.Decode(t.Context(), placed.Mu)
		if err != nil {
			t.Fatal(err)
		}
		var spread, left float64
		mean := make([]float64, x.Cols)
		for i := range x.Rows {
			for c, v := range x.Row(i) {
				mean[c] += float64(v) / float64(x.Rows)
			}
		}
		for i := range x.Rows {
			for c, v := range x.Row(i) {
				spread += (float64(v) - mean[c]) * (float64(v) - mean[c])
				left += (float64(v) - float64(back.X.Row(i)[c])) * (float64(v) - float64(back.X.Row(i)[c]))
			}
			if !(back.Sigma[i] > 0) {
				t.Fatalf("row %d has the standard deviation %g", i, back.Sigma[i])
			}
		}
		if left > 0.1*spread {
			t.Errorf("pca %d: %.3f of the variance is left", pca, left/spread)
		}
		if _, err := p.Decode(t.Context(), vec.New[float32](2, 3)); !models.IsBadInput(err) {
			t.Errorf("points of three dimensions: %v", err)
		}
	}
}

// A map that was turned and moved, as a stream aligns it with the one before, places and decodes
// events as before, turned and moved.
func TestATurnedMapPlacesTurned(t *testing.T) {
	s, p, _ := openStrip(t, PCANone)
	turned := *s
	turned.Mu = s.Mu.Clone()
	for i := range turned.Mu.Rows {
		m := turned.Mu.Row(i)
		m[0], m[1] = 2-m[1], m[0]-1
	}
	q, err := Open(&turned, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	events := strip(60, 8)
	for i := range events.Data {
		events.Data[i] += 0.003
	}
	a, err := p.Place(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.Place(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events.Rows {
		m, w := a.Mu.Row(i), b.Mu.Row(i)
		if math.Abs(float64(2-m[1]-w[0])) > 1e-5 || math.Abs(float64(m[0]-1-w[1])) > 1e-5 || a.Sigma[i] != b.Sigma[i] {
			t.Fatalf("event %d is at %v, turned at %v", i, m, w)
		}
	}
	back, err := p.Decode(t.Context(), a.Mu)
	if err != nil {
		t.Fatal(err)
	}
	again, err := q.(models.Decoder).Decode(t.Context(), b.Mu)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range back.X.Data {
		if math.Abs(float64(v-again.X.Data[i])) > 1e-4 {
			t.Fatalf("element %d is %g, from the turned map %g", i, v, again.X.Data[i])
		}
	}
	mu, cov := q.(models.Spreader).Spread()
	if mu.Rows != s.Mu.Rows || len(cov) != mu.Rows || !(cov[0].Row(0)[0] > 0) {
		t.Errorf("%d means, %d covariances, the first %v", mu.Rows, len(cov), cov[0].Data)
	}
}

// The error names the part that a file lacks. Numbers that do not fit are refused.
func TestDamagedPartsAreRefused(t *testing.T) {
	s, _, _ := openStrip(t, PCANone)
	for i := range s.Parts {
		bad := *s
		bad.Parts = append(append([]snapshot.Part{}, s.Parts[:i]...), s.Parts[i+1:]...)
		if _, err := Open(&bad, placing.Options{}); !models.IsBadInput(err) {
			t.Errorf("without part %s: %v", s.Parts[i].Name, err)
		}
	}
	for name, spoil := range map[string]func(p snapshot.Part) any{
		"learnt": func(p snapshot.Part) any { v := append([]uint32{}, p.Data.([]uint32)...); v[3] = 1 << 20; return v },
		"edges":  func(p snapshot.Part) any { v := append([]uint32{}, p.Data.([]uint32)...); v[0] = 1 << 20; return v },
		"frame":  func(p snapshot.Part) any { v := append([]float64{}, p.Data.([]float64)...); v[0] = 0; return v },
		"numbers": func(p snapshot.Part) any {
			v := append([]float64{}, p.Data.([]float64)...)
			v[2] = -1
			return v
		},
	} {
		bad := *s
		bad.Parts = append([]snapshot.Part{}, s.Parts...)
		for i, p := range bad.Parts {
			if p.Name == name {
				bad.Parts[i].Data = spoil(p)
			}
		}
		if _, err := Open(&bad, placing.Options{}); !models.IsBadInput(err) {
			t.Errorf("a wrong %s: %v", name, err)
		}
	}
}
