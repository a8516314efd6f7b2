package fit

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/lllvm"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
)

// quick returns settings for tests of the steps, not of the model's quality.
func quick() Spec { return Spec{Common: models.Common{Steps: 15, Seed: 1}} }

// withDuplicates returns n vectors; every seventh equals an earlier one.
func withDuplicates(n, dim int) vec.Matrix[float32] {
	x := modeltest.Events(1, n, dim)
	for i := 7; i < n; i += 7 {
		copy(x.Row(i), x.Row(i/2))
	}
	return x
}

func TestOpenPlacesTheRowsWhereFitSays(t *testing.T) {
	for name, c := range map[string]struct {
		dim  int
		spec Spec
	}{
		"plain":          {6, quick()},
		"pca":            {20, Spec{PCA: 5, LVM: quick().LVM}},
		"auto":           {MostPCA + 10, Spec{Common: models.Common{Steps: 5, Dims: 3}}},
		"novelty":        {6, Spec{NoveltyK: 20, LVM: quick().LVM}},
		"ten":            {20, Spec{PCA: 12, Common: models.Common{Steps: 5, Dims: 10}, LVM: lvm.Options{Student: student.Options{Coarse: models.CoarseShared}}}},
		"locally linear": {20, Spec{Kind: LLLVM, PCA: 5, Common: models.Common{Steps: 10, Seed: 1}, LLLVM: lllvm.Options{Points: 150}}},
		"all learnt":     {6, Spec{Kind: LLLVM, Common: models.Common{Steps: 5, Seed: 1, Neighbors: 6}, LLLVM: lllvm.Options{MaxNeighbors: 7, Restarts: 2}}},
		"dimensions":     {6, Spec{Kind: LLLVM, Common: models.Common{Dims: 1, Steps: 5, Seed: 1}, LLLVM: lllvm.Options{Points: 150, MaxDims: 3}}},
		"processes":      {20, Spec{Kind: GPLVM, PCA: 5, Common: models.Common{Steps: 10, Seed: 1}, GPLVM: gplvm.Options{Points: 100}}},
		"smooth":         {6, Spec{Kind: GPLVM, Common: models.Common{Steps: 5, Seed: 1}, GPLVM: gplvm.Options{Points: 100, Smooth: true, Restarts: 2, Kernel: "mlp+bias+white"}}},
		"components":     {6, Spec{Kind: "pca", Common: models.Common{Seed: 1, Dims: 3}}},
		"paths":          {6, Spec{Kind: "isomap", Own: &textbookSettings{sampled{100}}, Common: models.Common{Seed: 1}}},
		"weights":        {6, Spec{Kind: "lle", Own: &textbookSettings{sampled{200}}, Common: models.Common{Seed: 1}}},
		"distances":      {6, Spec{Kind: "mds", Common: models.Common{Seed: 1, Neighbors: 6}}},
		"laplacian":      {6, Spec{Kind: "eigenmaps", Own: &textbookSettings{sampled{200}}, Common: models.Common{Seed: 1}}},
		"tangents":       {6, Spec{Kind: "ltsa", Own: &textbookSettings{sampled{200}}, Common: models.Common{Seed: 1, Dims: 3}}},
		"short":          {20, Spec{Kind: "sammon", PCA: 5, Own: &textbookSettings{sampled{150}}, Common: models.Common{Seed: 1}}},
		"order":          {20, Spec{Kind: "nmds", PCA: 5, Own: &textbookSettings{sampled{150}}, Common: models.Common{Seed: 1}}},
		"topographic":    {20, Spec{Kind: "gtm", PCA: 5, Own: &topographicSettings{Grid: 8, Ridge: 0.5}, Common: models.Common{Steps: 20, Seed: 1}}},
		"kernels":        {20, Spec{Kind: "kpca", PCA: 5, Own: &kernelSettings{sampled{150}, wide{0.7}}, Common: models.Common{Seed: 1}}},
		"gaussian":       {20, Spec{PCA: 5, Common: models.Common{Steps: 15, Seed: 1}, LVM: lvm.Options{Tails: lvm.Gaussian}}},
	} {
		t.Run(name, func(t *testing.T) {
			x := withDuplicates(400, c.dim)
			s, r, err := Fit(context.Background(), x, c.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := snapshot.Write(&file, s); err != nil {
				t.Fatal(err)
			}
			again, err := snapshot.Read(&file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Open(again, placing.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Place(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if got.Near == nil || got.Near.N != x.Rows {
				t.Error("placing lists no neighbours")
			}
			if got.Seen.Rows != x.Rows {
				t.Error("placing does not say what the model sees")
			}
			got.Near, got.Seen = nil, r.Placed.Seen // a fit keeps its own value
			if !reflect.DeepEqual(got, r.Placed) {
				t.Error("placing the rows that were learnt gives other places")
			}
			if len(r.Row) != x.Rows || s.Reference.Rows != r.Report.Unique || r.Report.Unique >= x.Rows {
				t.Errorf("%d rows, %d references to %d points, %d unique", x.Rows, len(r.Row), s.Reference.Rows, r.Report.Unique)
			}
			var events uint32
			for _, n := range s.Count {
				events += n
			}
			if int(events) != x.Rows {
				t.Errorf("the counts sum to %d, want %d", events, x.Rows)
			}
			spec, err := ParseSpec(again)
			if err != nil {
				t.Fatal(err)
			}
			want := r.Spec
			want.Threads = 0
			if !reflect.DeepEqual(spec, want) || spec.Kind != s.Kind || spec.NoveltyK < 1 {
				t.Errorf("the stored settings are %+v, want %+v", spec, want)
			}
			if wantPCA := c.dim > DefaultPCA || c.spec.PCA > 0; (r.PCA != nil) != wantPCA || again.Reference.Cols == c.dim == wantPCA {
				t.Errorf("projected: %v, to %d", r.PCA != nil, again.Reference.Cols)
			}
		})
	}
}

func TestFitDoesNotDependOnThreads(t *testing.T) {
	x := withDuplicates(300, 60)
	for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
		var want *snapshot.Snapshot
		for _, threads := range []int{1, 2, 5} {
			spec := quick()
			spec.LVM.Tails, spec.Threads = tails, threads
			s, _, err := Fit(context.Background(), x, spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = s
			}
			if !reflect.DeepEqual(s, want) {
				t.Errorf("%v: %d threads give another snapshot", tails, threads)
			}
		}
	}
}

// A large cloud and a small one far away: only the large one is learnt.
func TestUnlearntRowsAreFlagged(t *testing.T) {
	x := vec.New[float32](200, 4)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64())
		if i >= 180*4 {
			x.Data[i] += 1000
		}
	}
	spec := quick()
	spec.LVM.Tails, spec.LVM.Saul.Components = lvm.Gaussian, saul.Largest
	s, r, err := Fit(context.Background(), x, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for i, u := range r.Unlearnt {
		if u != (i >= 180) {
			t.Errorf("row %d: unlearnt is %v", i, u)
		}
	}
	if !slices.Contains(s.Unlearnt, true) {
		t.Error("the snapshot marks no point as unlearnt")
	}
	spec.LVM.Saul.Components = saul.Connect
	if _, r, err = Fit(context.Background(), x, spec, nil); err != nil || r.Unlearnt != nil {
		t.Errorf("connected: unlearnt %v (%v)", r.Unlearnt, err)
	}
}

func TestProgressIsReported(t *testing.T) {
	seen, spec := map[string]bool{}, quick()
	spec.PCA = DefaultPCA
	_, _, err := Fit(context.Background(), modeltest.Events(1, 100, 60), spec, func(stage string, done, total int) {
		if done < 0 || done > total {
			t.Errorf("stage %s: %d of %d", stage, done, total)
		}
		seen[stage] = true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"pca", "knn", "graph", "spectral", "em"} {
		if !seen[stage] {
			t.Errorf("no word of stage %q", stage)
		}
	}
}

func TestWhatCannotBeLearntIsBadInput(t *testing.T) {
	ctx := context.Background()
	x := modeltest.Events(1, 60, 5)
	nan := x.Clone()
	nan.Row(11)[3] = float32(math.NaN())
	same := vec.New[float32](60, 5)
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		spec Spec
		text string
	}{
		"too few rows":     {x.Slice(0, 2), quick(), "2 rows"},
		"all rows equal":   {same, quick(), "distinct"},
		"NaN":              {nan, quick(), "row 11"},
		"NaN with PCA":     {nan, Spec{PCA: 3}, "row 11"},
		"too many for PCA": {x, Spec{PCA: 6}, "6"},
		"no rows":          {x.Slice(0, 0), quick(), "0"},
	} {
		_, _, err := Fit(ctx, c.x, c.spec, nil)
		if !models.IsBadInput(err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want bad input with %q", name, err, c.text)
		}
	}
	for name, spec := range map[string]Spec{"kind": {Kind: "tsne"}, "pca": {PCA: -2}, "novelty": {NoveltyK: -1}} {
		if _, _, err := Fit(ctx, x, spec, nil); err == nil || models.IsBadInput(err) {
			t.Errorf("a wrong %s: got %v, want an error that is no bad input", name, err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := Fit(gone, x, quick(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestOpenNamesAnUnknownKind(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 1, 50, 3, 0, 2)
	s.Kind = "tsne"
	if _, err := Open(s, placing.Options{}); !models.IsBadInput(err) || !strings.Contains(err.Error(), "tsne") {
		t.Errorf("got %v", err)
	}
	s.Settings = []byte(`{"kind":"lvm","lvm":{"dims":3}}`)
	if spec, err := ParseSpec(s); err != nil || spec.LVM.Tails != lvm.Gaussian || spec.Dims != 3 {
		t.Errorf("settings from before there was a choice of tails: %+v, %v", spec, err)
	}
	s.Settings = []byte("{")
	if _, err := ParseSpec(s); !models.IsBadInput(err) {
		t.Errorf("settings that are no JSON: got %v", err)
	}
}

func TestOpenConforms(t *testing.T) {
	x := modeltest.Events(1, 300, 5)
	for _, kind := range (Kinds{}).Names() {
		t.Run(kind, func(t *testing.T) {
			spec := quick()
			spec.Kind, spec.Steps = kind, 10
			s, _, err := Fit(context.Background(), x, spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			events := modeltest.Events(2, 100, 5)
			copy(events.Row(3), x.Row(17)) // a reference point
			events.Row(90)[2] = 1e30       // a distant event
			modeltest.Placers(t, func(t *testing.T) models.Placer {
				p, err := Open(s, placing.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}, events)
		})
	}
}

// TestOpenPlacesByLearntRanks: edges that an event sends have the weights of the model that learnt
// the map, and equal weights if the model is unknown.
func TestOpenPlacesByLearntRanks(t *testing.T) {
	x, events := modeltest.Events(1, 300, 5), modeltest.Events(2, 100, 5)
	s, _, err := Fit(context.Background(), x, Spec{Common: models.Common{Steps: 20}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	place := func(p models.Placer, err error) []float32 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Place(context.Background(), events)
		if err != nil {
			t.Fatal(err)
		}
		return out.Mu.Data
	}
	learnt, equal := place(lvm.NewPlacer(s, placing.Options{RankDecay: student.DefaultRankDecay})), place(lvm.NewPlacer(s, placing.Options{}))
	if slices.Equal(learnt, equal) {
		t.Fatal("ranks change nothing")
	}
	if !slices.Equal(place(Open(s, placing.Options{})), learnt) {
		t.Error("events are not placed by the ranks of the model")
	}
	before := *s
	before.Settings = []byte(strings.Replace(string(s.Settings), `"rank_decay":0.7`, `"density":0`, 1))
	if bytes.Equal(before.Settings, s.Settings) {
		t.Fatalf("settings %s", s.Settings)
	}
	if !slices.Equal(place(Open(&before, placing.Options{})), equal) {
		t.Error("events of a map of before there were ranks are not placed as then")
	}
}
