package fit

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/hybrid"
	"unfold/models/ep/labels"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// groups are n rows around two centres on a bent sheet, with labels of a half, and one row twice.
func groups(n int, seed uint64) (x vec.Matrix[float32], label []string) {
	rnd := rand.New(rand.NewPCG(seed, 8))
	x, label = vec.New[float32](n, 5), make([]string, n)
	for i := range n {
		u := rnd.NormFloat64()/2 + float64(2*(i%2)-1)
		for c := range 5 {
			x.Row(i)[c] = float32(math.Sin(u+float64(c)) + .1*rnd.NormFloat64())
		}
		if i%4 < 2 {
			label[i] = []string{"a", "b"}[i%2]
		}
	}
	copy(x.Row(n-1), x.Row(0))
	return x, label
}

// A model of vectors and labels that is read from its file places and predicts the same bits as
// before, which are those of package hybrid.
func TestHybridIsSaved(t *testing.T) {
	x, label := groups(80, 1)
	spec := Spec{Kind: GPLVM, Common: models.Common{Labels: label, Steps: 20, Seed: 1, Threads: 2}, GPLVM: gplvm.Options{Supervision: 1, Active: 10, Points: 60}}
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	s, r, err := Fit(t.Context(), x, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, is := r.Own.(Hybrid)
	if !is || own.Learnt != 60 || own.Classes != 2 || own.Inducing != 10 || r.Unlearnt == nil || r.Row[79] != r.Row[0] {
		t.Errorf("report %+v", r.Own)
	}
	var file bytes.Buffer
	if err := snapshot.Write(&file, s); err != nil {
		t.Fatal(err)
	}
	back, err := snapshot.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	other, truth := groups(40, 2)
	var places [2]models.Placed
	var classes [2]*labels.Predicted
	for k, s := range []*snapshot.Snapshot{s, back} {
		p, err := Open(s, placing.Options{Threads: k + 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, is := p.(*hybrid.Placer); !is {
			t.Fatalf("it is placed by %T", p)
		}
		if places[k], err = p.Place(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		c, err := labels.Open(s)
		if err != nil || c == nil {
			t.Fatal(c, err)
		}
		if classes[k], err = c.PredictNames(t.Context(), places[k], nil, true, 2); err != nil {
			t.Fatal(err)
		}
		decoded, err := p.(models.Decoder).Decode(t.Context(), places[k].Mu)
		if err != nil || !vec.Finite(decoded.X.Data) {
			t.Errorf("decoded %v, %v", decoded.Sigma, err)
		}
	}
	if !slices.Equal(places[0].Mu.Data, places[1].Mu.Data) || !slices.Equal(places[0].Sigma, places[1].Sigma) || !slices.Equal(classes[0].All.Data, classes[1].All.Data) {
		t.Error("the model that was read places or predicts otherwise")
	}
	right := 0
	for i := range truth {
		if classes[0].Class[i] == []string{"a", "b"}[i%2] {
			right++
		}
	}
	if right < 34 {
		t.Errorf("%d of 40 classes are right", right)
	}
	var again Spec
	if err := again.UnmarshalJSON(s.Settings); err != nil || again.GPLVM.Supervision != 1 || !again.PredictsClasses() {
		t.Errorf("the file's settings are %+v, %v", again.GPLVM, err)
	}
	if lines := (Kinds{}).Describe(s); len(lines) != 4 {
		t.Errorf("it is described by %q", lines)
	}
}

// A fit of rows with missing values and labels gives a complete snapshot, which is saved, and places
// the same rows as the fit did, learnt or not.
func TestHybridLearnsMissing(t *testing.T) {
	x, label := groups(80, 1)
	for i := 0; i < 80; i += 3 {
		x.Row(i)[i%5] = float32(math.NaN())
	}
	copy(x.Row(79), x.Row(0)) // the same value is missing
	given := x.Clone()
	spec := Spec{Kind: GPLVM, Common: models.Common{Labels: label, Steps: 20, Seed: 1}, GPLVM: gplvm.Options{Supervision: 1, Active: 10, Points: 60}}
	s, r, err := Fit(t.Context(), x, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if own := r.Own.(Hybrid); own.Filled != 28 || models.CheckRows(x, nil) != nil || models.CheckRows(s.Reference, nil) != nil || r.Row[79] != r.Row[0] {
		t.Errorf("report %+v", own)
	}
	s = rewritten(t, s)
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := p.(models.Lenient).PlaceMissing(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	for i := range given.Rows {
		if vec.SquaredDistance(placed.Mu.Row(i), r.Placed.Mu.Row(i)) != 0 || placed.Sigma[i] != r.Placed.Sigma[i] || placed.NoveltyLocal[i] != r.Placed.NoveltyLocal[i] {
			t.Errorf("row %d is placed at %v ± %v, by the fit at %v ± %v", i, placed.Mu.Row(i), placed.Sigma[i], r.Placed.Mu.Row(i), r.Placed.Sigma[i])
		}
	}
	c, err := labels.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	did, err := c.PredictNames(t.Context(), placed, nil, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i := range given.Rows {
		if did.Class[i] == []string{"a", "b"}[i%2] {
			right++
		}
	}
	if right < 70 {
		t.Errorf("%d of 80 classes are right", right)
	}
	if lines := (Kinds{}).Describe(s); len(lines) != 5 || !strings.Contains(lines[4].Value, "filled in") {
		t.Errorf("it is described by %q", lines)
	}
}

// Rows with missing values are placed by their observed values, near the places of the complete
// rows. Their classes are predicted from these places. Their likelihood is the marginal one of a
// slow computation.
func TestHybridPlacesMissing(t *testing.T) {
	x, label := groups(80, 1)
	spec := Spec{Kind: GPLVM, Common: models.Common{Labels: label, Steps: 20, Seed: 1}, GPLVM: gplvm.Options{Supervision: 1, Active: 10, Points: 60}}
	s, _, err := Fit(t.Context(), x, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Names = []string{"v", "w", "x", "y", "z"}
	whole, truth := groups(40, 2)
	for i := range truth {
		truth[i] = []string{"a", "b"}[i%2]
	}
	holed := whole.Clone()
	for i := range 39 { // the last row is whole, and equals the first
		holed.Row(i)[i%5] = float32(math.NaN())
	}
	var two [2]models.Placed
	for k := range two {
		p, err := Open(s, placing.Options{Threads: k + 1})
		if err != nil {
			t.Fatal(err)
		}
		if two[k], err = p.(models.Lenient).PlaceMissing(t.Context(), holed); err != nil {
			t.Fatal(err)
		}
		one, err := p.Place(t.Context(), whole)
		if err != nil || !slices.Equal(one.Mu.Row(39), two[k].Mu.Row(39)) || one.Sigma[39] != two[k].Sigma[39] {
			t.Errorf("the whole row is placed otherwise, %v", err)
		}
		away := 0.0
		for i := range whole.Rows {
			away += math.Sqrt(vec.SquaredDistance(one.Mu.Row(i), two[k].Mu.Row(i))) / 40
			if !(two[k].NoveltyGlobal[i] >= 0 && two[k].NoveltyGlobal[i] <= 1) {
				t.Errorf("row %d has the novelty %g", i, two[k].NoveltyGlobal[i])
			}
		}
		if away > .25 {
			t.Errorf("without a value rows move by %.2f on average", away)
		}
		nothing := slices.Repeat([]float32{float32(math.NaN())}, 5)
		if _, err := p.(models.Lenient).PlaceMissing(t.Context(), vec.Of(1, 5, nothing)); !errors.Is(err, models.ErrBadInput) {
			t.Errorf("a row without any value: %v", err)
		}
		got, err := p.(models.Likely).LogLik(t.Context(), holed, two[k])
		if err != nil {
			t.Fatal(err)
		}
		slow := slowHybrid(t, s, p.(*hybrid.Placer), holed, two[k].Mu)
		for i, v := range got {
			if math.Abs(float64(v)-slow[i]) > 1e-3*(1+math.Abs(slow[i])) {
				t.Errorf("row %d has the log-likelihood %g, want %g", i, v, slow[i])
			}
		}
	}
	if !slices.Equal(two[0].Mu.Data, two[1].Mu.Data) || !slices.Equal(two[0].Sigma, two[1].Sigma) {
		t.Error("another number of threads places otherwise")
	}
	c, err := labels.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := c.PredictNames(t.Context(), two[0], nil, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, class := range classes.Class {
		if class == truth[i] {
			right++
		}
	}
	if right < 33 {
		t.Errorf("%d of 40 classes are right", right)
	}
}

// slowHybrid returns the log-likelihoods of the values of x, at places on the map, from the parts of
// the model.
func slowHybrid(t *testing.T, s *snapshot.Snapshot, p *hybrid.Placer, x vec.Matrix[float32], mu vec.Matrix[float32]) (out []float64) {
	t.Helper()
	part := func(name string) vec.Matrix[float64] {
		for _, p := range s.Parts {
			if p.Name == name {
				return vec.Of(p.Rows, p.Cols, p.Data.([]float64))
			}
		}
		t.Fatal("no part ", name)
		return vec.Matrix[float64]{}
	}
	_, units, err := placing.Read(s)
	if err != nil {
		t.Fatal(err)
	}
	theta, z, weights, spread := part("hybrid.kernel").Data, part("hybrid.z"), part("hybrid.weights"), part("hybrid.spread")
	for i := range x.Rows {
		at := vec.Convert[float64](mu.Slice(i, i+1)).Row(0)
		p.Motion().Back(at)
		k := make([]float64, z.Rows)
		for a := range k {
			sum := 0.0
			for q, v := range z.Row(a) {
				sum += theta[2+q] * (at[q] - v) * (at[q] - v)
			}
			k[a] = theta[1] * math.Exp(-sum/2)
		}
		variance, sum := theta[1]+1/theta[0], 0.0
		for a := range k {
			for b := range k {
				variance -= k[a] * spread.Row(a)[b] * k[b]
			}
		}
		for c, v := range x.Row(i) {
			if v != v {
				continue
			}
			mean := 0.0
			for a := range k {
				mean += k[a] * weights.Row(a)[c]
			}
			d := (float64(v)-units.Shift[c])*units.Scale - mean
			sum += math.Log(units.Scale) - d*d/(2*variance) - math.Log(2*math.Pi*variance)/2
		}
		out = append(out, sum)
	}
	return out
}

// A file whose parts do not fit is refused.
func TestHybridRefusesDamage(t *testing.T) {
	x, label := groups(40, 1)
	s, _, err := Fit(t.Context(), x, Spec{Kind: GPLVM, Common: models.Common{Labels: label, Steps: 10, Seed: 1}, GPLVM: gplvm.Options{Supervision: 1, Active: 8}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range s.Parts {
		numbers, is := p.Data.([]float64)
		if !is || p.Name == "frame" || p.Name == "hybrid.bound" {
			continue
		}
		bad := *s
		bad.Parts = slices.Clone(s.Parts)
		numbers = slices.Clone(numbers)
		numbers[0] = math.NaN()
		bad.Parts[k].Data = numbers
		p, err := Open(&bad, placing.Options{})
		if err == nil {
			_, err = p.Place(t.Context(), x.Slice(0, 3))
		}
		if c, failed := labels.Open(&bad); err == nil && failed == nil {
			at, _ := p.Place(t.Context(), x.Slice(0, 3))
			_, err = c.PredictNames(t.Context(), at, nil, false, 1)
		} else if err == nil {
			err = failed
		}
		if err == nil {
			t.Errorf("NaN in part %s goes unnoticed", s.Parts[k].Name)
		}
		bad.Parts[k].Data, bad.Parts[k].Rows = numbers[:0], 0
		if _, err := Open(&bad, placing.Options{}); err == nil && s.Parts[k].Name[:7] == "hybrid." {
			t.Errorf("a model without part %s is opened", s.Parts[k].Name)
		}
	}
}

// Settings that do not go with supervision are refused by name.
func TestHybridSettings(t *testing.T) {
	for want, o := range map[string]gplvm.Options{
		"kernel": {Kernel: "linear+white"}, "restarts": {Restarts: 2}, "start": {Start: "isomap"}, "optimizer": {Optimizer: "lbfgs"},
		"noise": {Noise: gplvm.NoiseProbit}, "jumps": {Jumps: 1}, "smooth": {Smooth: true}, "active": {Active: 1},
	} {
		o.Supervision = .5
		var wrong *models.SettingError
		if err := (Spec{Kind: GPLVM, GPLVM: o}).Check(); !errors.As(err, &wrong) || wrong.Name != want {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := (Spec{Kind: GPLVM, GPLVM: gplvm.Options{Supervision: 2}}).Check(); err == nil {
		t.Error("a supervision of 2 is taken")
	}
}
