package fit

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// answers returns n rows of q values 0 and 1 that depend on two coordinates.
func answers(seed uint64, n, q int) vec.Matrix[float32] {
	rnd := rand.New(rand.NewPCG(seed, 8))
	x := vec.New[float32](n, q)
	for i := range n {
		u, v := rnd.NormFloat64(), rnd.NormFloat64()
		for j := range q {
			a, b := math.Sincos(float64(j))
			if a*u+b*v+0.5*math.Sin(float64(7*j))+0.2*rnd.NormFloat64() > 0 {
				x.Row(i)[j] = 1
			}
		}
	}
	return x
}

// probit returns settings for rows of 0 and 1.
func probit() Spec {
	return Spec{Kind: GPLVM, Common: models.Common{Steps: 2, Seed: 1}, GPLVM: gplvm.Options{Noise: gplvm.NoiseProbit, Points: 90, Active: 25}}
}

// Rows of 0 and 1 are placed as by any other model. The map decodes to the probability of 1, which
// is above one half where most of the nearest learnt rows have a 1.
func TestBinary(t *testing.T) {
	ctx := context.Background()
	x := answers(1, 140, 12)
	for i := range x.Rows {
		x.Row(i)[4] = 1 // a column that does not vary
	}
	for name, change := range map[string]func(s *Spec){
		"sample": func(*Spec) {}, "smooth": func(s *Spec) { s.GPLVM.Smooth = true }, "default": func(s *Spec) { s.GPLVM.Active = 0 },
	} {
		active := map[string]int{"sample": 25, "smooth": 25, "default": 48}[name]
		t.Run(name, func(t *testing.T) {
			spec := probit()
			change(&spec)
			s, r, err := Fit(ctx, x, spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			if own := r.Own.(GaussianProcess); own.Noise != gplvm.NoiseProbit || own.Active != active {
				t.Errorf("the fit reports %+v", own)
			}
			if l := r.Report.Loglik; !(l > r.Report.LoglikInitial) || l >= 0 {
				t.Errorf("ln p of the active values is %g, was %g at first", l, r.Report.LoglikInitial)
			}
			s = rewritten(t, s)
			open := func(t *testing.T) models.Placer {
				p, err := Open(s, placing.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			placed, err := open(t).Place(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range x.Rows {
				if vec.SquaredDistance(placed.Mu.Row(i), r.Placed.Mu.Row(i)) != 0 || placed.Sigma[i] != r.Placed.Sigma[i] {
					t.Fatalf("row %d is placed at %v, by the fit at %v", i, placed.Mu.Row(i), r.Placed.Mu.Row(i))
				}
			}
			events := answers(2, 80, 12)
			copy(events.Data, x.Data[:10*12])
			modeltest.Placers(t, open, events)
			decoded, err := open(t).(models.Decoder).Decode(ctx, placed.Mu)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for k, p := range decoded.X.Data {
				if (p > 0.5) == (x.Data[k] == 1) {
					right++
				}
			}
			if share := float64(right) / float64(len(x.Data)); share < 0.8 {
				t.Errorf("%.3f of the values are on the side of their probability", share)
			}
		})
	}
}

// Every point of the map decodes to probabilities, and the deviation is that of a probability.
func TestDecodedProbabilities(t *testing.T) {
	s, _, err := Fit(context.Background(), answers(3, 80, 9), probit(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := vec.Of(1, 2, rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), 2, 2).Draw(t, "at"))
		if rapid.Bool().Draw(t, "near") {
			for c := range at.Data {
				at.Data[c] /= 3e5
			}
		}
		d, err := p.(models.Decoder).Decode(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		square := 0.0
		for j, v := range d.X.Data {
			if !(v > 0 && v < 1) {
				t.Errorf("at %v the probability %d is %g", at.Data, j, v)
			}
			square += float64(v) * (1 - float64(v)) / float64(len(d.X.Data))
		}
		if got := float64(d.Sigma[0]); math.Abs(got-math.Sqrt(square)) > 1e-4*got {
			t.Errorf("at %v the deviation is %g, of the probabilities %g", at.Data, got, math.Sqrt(square))
		}
	})
}

// Missing answers are imputed as probabilities, and rows with missing answers are placed.
func TestBinaryMissing(t *testing.T) {
	ctx, x := context.Background(), answers(4, 80, 9)
	for i := 0; i < x.Rows; i += 3 {
		x.Row(i)[i%9] = float32(math.NaN())
	}
	given := x.Clone()
	s, r, err := Fit(ctx, x, probit(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range x.Data {
		if g := given.Data[k]; g == g && v != g || !(v >= 0 && v <= 1) || g != g && (v == 0 || v == 1) {
			t.Fatalf("value %d is %g, was %g", k, v, g)
		}
	}
	p, err := Open(rewritten(t, s), placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := p.(models.Lenient).PlaceMissing(ctx, given)
	if err != nil {
		t.Fatal(err)
	}
	for i := range given.Rows {
		if vec.SquaredDistance(placed.Mu.Row(i), r.Placed.Mu.Row(i)) != 0 {
			t.Errorf("row %d is placed at %v, by the fit at %v", i, placed.Mu.Row(i), r.Placed.Mu.Row(i))
		}
	}
	given.Row(5)[2] = 0.25
	var row *models.RowError
	if _, err := p.(models.Lenient).PlaceMissing(ctx, given); !errors.As(err, &row) || row.Row != 5 || row.Column != 2 {
		t.Errorf("an event with 0.25: %v", err)
	}
}

// The error for a value other than 0 or 1 names the row and column of the input, also where
// constant columns are dropped.
func TestNotBinary(t *testing.T) {
	ctx := context.Background()
	var row *models.RowError
	x := answers(5, 60, 8)
	for i := range x.Rows {
		x.Row(i)[1] = 0
	}
	x.Row(17)[6] = 2
	_, _, err := Fit(ctx, x, probit(), nil)
	if !errors.As(err, &row) || row.Row != 17 || row.Column != 6 || !strings.Contains(err.Error(), "row 17, element 6 of the vector is 2: noise probit takes 0 and 1 alone") || !models.IsBadInput(err) {
		t.Errorf("a 2: %v", err)
	}
	x.Row(17)[6] = 1
	s, _, err := Fit(ctx, x, probit(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Names = strings.Split("a b c d e f g h", " ")
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x.Row(3)[2] = -1
	if _, err := p.Place(ctx, x); !errors.As(err, &row) || row.Row != 3 || row.Column != 2 || row.Name != "c" {
		t.Errorf("a -1: %v", err)
	}
	x.Row(3)[2], x.Row(3)[1] = 1, 0.5 // column 1 is dropped before the model
	if _, err := p.Place(ctx, x); err != nil {
		t.Errorf("in a column that is left out: %v", err)
	}
	spec := probit()
	spec.PCA = 3
	if err := spec.Check(); err == nil || !strings.Contains(err.Error(), "pca has to be none") {
		t.Errorf("with components: %v", err)
	}
	spec.PCA = PCAAuto
	if got, err := spec.Resolve(DefaultPCA + 1); err != nil || got.PCA != PCANone {
		t.Errorf("of many columns %d components are taken: %v", got.PCA, err)
	}
	if _, err := spec.ForSparse(100, 80); !models.IsBadInput(err) {
		t.Errorf("sparse rows: %v", err)
	}
}

// A program that does not support the noise model must not read the file as a Gaussian one.
func TestNoiseNeedsItsVersion(t *testing.T) {
	for noise, want := range map[string]uint32{"gaussian": 1, gplvm.NoiseProbit: 3} {
		spec := probit()
		spec.GPLVM.Noise = noise
		s, _, err := Fit(context.Background(), answers(6, 50, 6), spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := snapshot.Write(&file, s); err != nil {
			t.Fatal(err)
		}
		if info, err := snapshot.ReadInfo(bytes.NewReader(file.Bytes())); err != nil || info.Format != want {
			t.Errorf("%s: format version %d (%v), want %d", noise, info.Format, err, want)
		}
	}
}
