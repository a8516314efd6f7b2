package baseline

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// topography is the map that GTM learnt.
func topography(f *Fitted) *topographic { return f.model.(direct).formula.(*topographic) }

// The likelihood, the noise and decoded vectors agree with numpy.
func TestTopographyIsThatOfNumpy(t *testing.T) {
	tested := 0
	for _, c := range fixtures(t, "textbook.json", 2*len(Methods())) {
		if Method(c.Method) != GTM {
			continue
		}
		tested++
		t.Run(c.Name, func(t *testing.T) {
			x, d := vec.Convert[float32](rowsOf(c.Learn)), len(c.Places[0])
			f, err := Fit(t.Context(), GTM, x, Settings{Common: models.Common{Dims: d, Steps: c.Steps}})
			if err != nil {
				t.Fatal(err)
			}
			if f.Iterations != c.Steps || f.Converged {
				t.Errorf("%d iterations, converged %v; want all %d", f.Iterations, f.Converged, c.Steps)
			}
			m := topography(f)
			if got, want := f.Loglik, c.Loglik; math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("log-likelihood %.9g, want %.9g", got, want)
			}
			if got := m.noise(nil); math.Abs(got-c.Sigma) > 1e-6*c.Sigma {
				t.Errorf("noise %.9g, want %.9g", got, c.Sigma)
			}
			places, want := others(t, f, x), rowsOf(c.Decoded)
			got, decode := vec.New[float64](want.Rows, want.Cols), m.decoder()
			for i := range got.Rows {
				decode(got.Row(i), places.Row(i))
			}
			same(t, "decoded", got, want, slices.Repeat([]float64{1}, got.Cols))
		})
	}
	if tested != 2 {
		t.Errorf("%d fixtures, want 2", tested)
	}
}

// No iteration of EM lowers the penalised log-likelihood, for any settings.
func TestTopographyClimbs(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, q := rapid.IntRange(12, 90).Draw(r, "vectors"), rapid.IntRange(2, 6).Draw(r, "elements")
		x := modeltest.Events(rapid.Uint64Range(1, 1<<30).Draw(r, "seed"), n, q)
		s := Settings{
			Common: models.Common{Dims: rapid.IntRange(1, 2).Draw(r, "dimensions"), Steps: 25, Neighbors: 3},
			Grid:   rapid.IntRange(2, 9).Draw(r, "grid"), Basis: rapid.IntRange(2, 5).Draw(r, "basis"),
			Width: rapid.Float64Range(0.4, 2).Draw(r, "width"), Ridge: rapid.Float64Range(0.01, 10).Draw(r, "ridge"),
		}
		s, err := s.Resolved(GTM)
		if err != nil {
			r.Fatal(err)
		}
		_, c, err := learnTopographic(t.Context(), x, s)
		if err != nil {
			r.Fatal(err)
		}
		for i, now := range c.penalised[1:] {
			if before := c.penalised[i]; now < before-1e-9*math.Abs(before)-1e-9 {
				r.Fatalf("iteration %d: from %.12g to %.12g", i+1, before, now)
			}
		}
	})
}

// The order of the rows changes only the rounding of sums.
func TestTopographyOfPermutedRows(t *testing.T) {
	x := modeltest.Events(8, 150, 5)
	order := make([]int32, x.Rows)
	for i := range order {
		order[i] = int32((i*77 + 13) % x.Rows)
	}
	set := Settings{Common: models.Common{Steps: 30}}
	one, err := Fit(t.Context(), GTM, x, set)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Fit(t.Context(), GTM, vec.Take(x, order), set)
	if err != nil {
		t.Fatal(err)
	}
	got, want := others(t, two, x), others(t, one, x)
	same(t, "permuted", got, want, signs(got, want))
}

// Responsibilities sum to 1 for any vector, and its position lies between the latent points.
func TestTopographyPlacesEverywhere(t *testing.T) {
	x := modeltest.Events(8, 120, 4)
	f, err := Fit(t.Context(), GTM, x, Settings{Common: models.Common{Steps: 30}})
	if err != nil {
		t.Fatal(err)
	}
	place, mu := topography(f).placer(), make([]float64, 2)
	for _, far := range []float32{1, 1e6, -1e20, math.MaxFloat32} {
		variance := place(mu, []float32{far, far, -far, 0})
		for _, v := range mu {
			if !(math.Abs(v) <= 1+1e-12) {
				t.Errorf("a vector at %g is placed at %v", far, mu)
			}
		}
		if !(variance > 0 && variance <= 2) {
			t.Errorf("a vector at %g: a variance of %g", far, variance)
		}
	}
}

// For vectors near a sheet, the learnt noise equals the noise of the data.
func TestTopographyFindsTheNoise(t *testing.T) {
	const noise = 0.05
	x := vec.New[float32](600, 5)
	deviates := modeltest.Events(9, x.Rows, 5)
	var square float64
	for i := range x.Rows {
		u, v := float64(i%25)/12-1, float64(i/25)/12-1
		for c, w := range []float64{u, v, u * v, math.Sin(2 * u), math.Cos(2 * v)} {
			e := noise * math.Tanh(float64(deviates.Row(i)[c]))
			square += e * e / float64(len(x.Data))
			x.Row(i)[c] = float32(w + e)
		}
	}
	f, err := Fit(t.Context(), GTM, x, Settings{Basis: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := topography(f).noise(nil), math.Sqrt(square); !(got > 0.7*want && got < 1.8*want) || !f.Converged {
		t.Errorf("noise %g after %d iterations, want about %g", got, f.Iterations, want)
	}
}
