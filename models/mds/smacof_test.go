package mds

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

func matrix(rows [][]float64) vec.Matrix[float64] {
	var data []float64
	for _, r := range rows {
		data = append(data, r...)
	}
	return vec.Of(len(rows), len(rows[0]), data)
}

// SMACOF takes the same steps as scikit-learn (testdata/smacof.py).
func TestFixtures(t *testing.T) {
	text, err := os.ReadFile("testdata/smacof.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Cases []struct {
			Name         string
			Delta, Start [][]float64
			After        []struct {
				Steps  int
				Places [][]float64
				Stress float64
			}
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) < 4 {
		t.Fatalf("%d cases", len(f.Cases))
	}
	for _, c := range f.Cases {
		delta := matrix(c.Delta)
		for _, after := range c.After {
			got := newConfiguration(matrix(c.Start), 2)
			stress, _, err := got.majorise(t.Context(), delta, after.Steps, math.SmallestNonzeroFloat64)
			if err != nil {
				t.Fatal(err)
			}
			want := matrix(after.Places)
			mu := make([]float64, want.Cols)
			for i := range want.Rows {
				got.place(i, mu)
				for k, v := range mu {
					if math.Abs(v-want.Row(i)[k]) > 1e-9 {
						t.Fatalf("%s after %d steps: place %d is %v, want %v", c.Name, after.Steps, i, mu, want.Row(i))
					}
				}
			}
			if math.Abs(stress-after.Stress) > 1e-9 {
				t.Errorf("%s after %d steps: stress %.12g, want %.12g", c.Name, after.Steps, stress, after.Stress)
			}
		}
	}
}

// No step raises the stress, for any distances and start, and the mean stays in place.
func TestStressNeverRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, d := rapid.IntRange(1, 20).Draw(t, "m"), rapid.IntRange(1, 5).Draw(t, "d")
		delta, start := vec.New[float64](m, m), vec.New[float64](m, d)
		length, coordinate := rapid.Float64Range(0, 10), rapid.Float64Range(-10, 10)
		if rapid.Bool().Draw(t, "ties") {
			length, coordinate = rapid.SampledFrom([]float64{0, 1, 2}), rapid.SampledFrom([]float64{-1, 0, 1})
		}
		for i := range m {
			for j := range i {
				v := length.Draw(t, "delta")
				delta.Row(i)[j], delta.Row(j)[i] = v, v
			}
			for k := range d {
				start.Row(i)[k] = coordinate.Draw(t, "start")
			}
		}
		c := newConfiguration(start, 1)
		next, last := vec.New[float64](d, m), math.Inf(1)
		for range 30 {
			raw, _ := c.step(t.Context(), delta, next)
			if !(raw <= last*(1+1e-12)+1e-12) {
				t.Fatalf("raw stress rises from %g to %g", last, raw)
			}
			last = raw
			for k := range d {
				var before, after float64
				for i, v := range next.Row(k) {
					before, after = before+c.columns[k][i], after+v
				}
				if math.Abs(before-after) > 1e-9*float64(m) {
					t.Fatalf("the mean moves from %g to %g", before/float64(m), after/float64(m))
				}
				copy(c.columns[k], next.Row(k))
			}
		}
	})
}

// A step of a row with fixed landmarks never raises its stress, up to a stretch of 2.
func TestRowsDescend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, d := rapid.IntRange(1, 12).Draw(t, "m"), rapid.IntRange(1, 12).Draw(t, "d")
		stretch := rapid.SampledFrom([]float64{1, 1.5, 2}).Draw(t, "stretch")
		places, delta := vec.New[float64](m, d), make([]float64, m)
		for i := range places.Data {
			places.Data[i] = rapid.Float64Range(-5, 5).Draw(t, "landmark")
		}
		for j := range delta {
			delta[j] = rapid.Float64Range(0, 5).Draw(t, "delta")
		}
		c := newConfiguration(places, 1)
		p, last := c.newPoint(), math.Inf(1)
		for k := range p.mu {
			p.mu[k] = rapid.Float64Range(-5, 5).Draw(t, "mu")
		}
		fall := func() {
			raw, _ := c.move(p, delta, stretch)
			if !(raw <= last*(1+1e-12)+1e-12) {
				t.Fatalf("raw stress rises from %g to %g", last, raw)
			}
			last = raw
		}
		for range 20 {
			fall()
			copy(p.mu, p.next)
		}
		fall()
		c.descend(p, delta)
		fall()
	})
}
