package lvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/saul"
	"unfold/models/student"
)

// TestHardInputs: hard inputs that occur in event streams give a finite map.
func TestHardInputs(t *testing.T) {
	base := modeltest.Blobs(110, 4, 2)
	change := func(f func(i, k int, v float32) float32) vec.Matrix[float32] {
		x := base.Clone()
		for i := range x.Rows {
			for k, v := range x.Row(i) {
				x.Row(i)[k] = f(i, k, v)
			}
		}
		return x
	}
	r := rand.New(rand.NewPCG(1, 1))
	for name, x := range map[string]vec.Matrix[float32]{
		"plain": base,
		"near duplicates": change(func(i, k int, v float32) float32 {
			return base.Row(i % 30)[k] + 1e-6*float32(r.NormFloat64())
		}),
		"neighbouring floats": change(func(i, k int, v float32) float32 {
			if i%2 == 1 && k == 0 {
				return math.Nextafter32(base.Row(i - 1)[0], 100)
			}
			return base.Row(i - i%2)[k]
		}),
		"exact duplicates": change(func(i, k int, v float32) float32 { return base.Row(i % 60)[k] }),
		"constant column":  change(func(i, k int, v float32) float32 { return v * float32(k%2) }),
		"far outlier":      change(func(i, k int, v float32) float32 { return v + 1e7*float32(max(0, i-108)) }),
		"far clusters":     change(func(i, k int, v float32) float32 { return v + 1e5*float32(i%3) }),
		"tiny":             change(func(i, k int, v float32) float32 { return v * 1e-30 }),
		"huge":             change(func(i, k int, v float32) float32 { return v * 1e30 }),
		"denormal":         change(func(i, k int, v float32) float32 { return v * 1e-43 }),
		"huge and tiny": change(func(i, k int, v float32) float32 {
			if i > 100 {
				return v * 1e20
			}
			return v * 1e-20
		}),
		"large offset":      change(func(i, k int, v float32) float32 { return v + 1e6 }),
		"geometric":         change(func(i, k int, v float32) float32 { return float32(math.Exp(float64(i)/2)) * float32(k+1) }),
		"one column":        modeltest.Blobs(60, 1, 2),
		"a line":            change(func(i, k int, v float32) float32 { return float32(i) * float32(k) }),
		"whole numbers":     change(func(i, k int, v float32) float32 { return float32(math.Round(float64(v))) }),
		"one row of k+1":    base.Slice(0, 10),
		"one row more":      base.Slice(0, 11),
		"counts, few large": change(func(i, k int, v float32) float32 { return float32(math.Exp(math.Abs(float64(v)) * 3)) }),
	} {
		for k, s := range []Settings{
			{Options: Options{Tails: Gaussian}}, {Options: Options{Tails: Gaussian, Saul: saul.Options{Components: saul.Largest, Level: 1}}}, {Common: models.Common{Dims: 5}, Options: Options{Tails: Gaussian, Saul: saul.Options{Level: 3}}},
			{Common: models.Common{Dims: 12}, Options: Options{Tails: Gaussian}}, {Common: models.Common{Neighbors: 1, Dims: 1}, Options: Options{Tails: Gaussian}},
			{Common: models.Common{Neighbors: 9}}, {Common: models.Common{Dims: 1, Neighbors: 1}}, {Common: models.Common{Dims: 12}}, {Options: Options{Student: student.Options{Coarse: models.CoarseMap}}}, {Common: models.Common{Dims: 5}, Options: Options{Student: student.Options{Coarse: models.CoarseShared, Tail: 1}}},
			{Common: models.Common{Dims: 3}, Options: Options{Student: student.Options{Coarse: models.CoarseMap}}}, {Options: Options{Student: student.Options{Scales: student.Unit, Sigma: student.Shared}}}, {Options: Options{Student: student.Options{Thorough: true, Sigma: student.Free}}},
		} {
			if RaceEnabled && k%3 != 0 {
				continue // ten times slower
			}
			s.Steps = 25
			got, err := Fit(context.Background(), x, s, nil)
			if err != nil {
				t.Errorf("%s, %+v: %v", name, s, err)
				continue
			}
			sane(t, name, x, got)
		}
	}
}

// TestFewPoints: a few points at every level, down to n = k+1 = 2.
func TestFewPoints(t *testing.T) {
	for n := 2; n <= 6; n++ {
		x := modeltest.Blobs(n, 2, 3)
		for k := 1; k < n; k++ {
			for level := range 4 {
				for _, d := range []int{1, 2, 9} {
					r, err := Fit(context.Background(), x, Settings{Common: models.Common{Neighbors: k, Dims: d, Steps: 30}, Options: Options{Tails: Gaussian, Saul: saul.Options{Level: saul.LevelOf(level)}}}, nil)
					if err != nil {
						t.Errorf("n = %d, k = %d, level %d, d = %d: %v", n, k, level, d, err)
						continue
					}
					sane(t, "few points", x, r)
				}
			}
			for _, coarse := range []models.Coarse{models.CoarseAll, models.CoarseMap, models.CoarseShared} {
				for _, d := range []int{1, 2, 3, 9} {
					if coarse == models.CoarseMap && d > 3 {
						continue
					}
					r, err := Fit(context.Background(), x, Settings{Common: models.Common{Neighbors: k, Dims: d}, Options: Options{Student: student.Options{Coarse: coarse}}}, nil)
					if err != nil {
						t.Errorf("n = %d, k = %d, %v, d = %d: %v", n, k, coarse, d, err)
						continue
					}
					sane(t, "few points", x, r)
				}
			}
		}
	}
}

// TestMapBeyondSinglePrecision: places outside the range of float32 are an input error, not
// infinities in the output.
func TestMapBeyondSinglePrecision(t *testing.T) {
	x := modeltest.Blobs(110, 4, 2)
	for i := range x.Data {
		x.Data[i] *= math.MaxFloat32 / 12
	}
	_, err := Fit(context.Background(), x, Settings{Common: models.Common{Dims: 1, Steps: 60}, Options: Options{Tails: Gaussian}}, nil)
	if !models.IsBadInput(err) {
		t.Errorf("got %v, want bad input", err)
	}
}

// TestStartBeyondSinglePrecision: the same for the principal components from which learning with
// heavy tails starts.
func TestStartBeyondSinglePrecision(t *testing.T) {
	x := vec.New[float32](50, 40)
	for i := range x.Rows {
		for c := range x.Row(i) {
			x.Row(i)[c] = math.MaxFloat32 / 3 * float32(i-25) / 25 * (1 - float32(c%3)/100)
		}
	}
	if _, err := Fit(context.Background(), x, Settings{}, nil); !models.IsBadInput(err) {
		t.Errorf("got %v, want bad input", err)
	}
}

// TestThorough: thorough settings take more steps and exact solves, for any n and d.
func TestThorough(t *testing.T) {
	x := modeltest.Blobs(300, 4, 2)
	for _, d := range []int{1, 2, 3, 10} {
		var maps [2]*Result
		for k, thorough := range []bool{false, true} {
			r, err := Fit(context.Background(), x, Settings{Common: models.Common{Dims: d}, Options: Options{Student: student.Options{Thorough: thorough}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			maps[k] = r
		}
		if few, many := maps[0].Settings.Steps, maps[1].Settings.Steps; 2*many != 5*few {
			t.Errorf("d = %d: %d steps, by default %d", d, many, few)
		}
		if slices.Equal(maps[0].Mu.Data, maps[1].Mu.Data) {
			t.Errorf("d = %d: the map is that of the default", d)
		}
	}
}

// sane checks the properties of every result.
func sane(t *testing.T, name string, x vec.Matrix[float32], r *Result) {
	t.Helper()
	n := len(r.Unique)
	if r.Mu.Rows != n || len(r.Sigma2) != n || len(r.Bandwidth2) != n || len(r.Count) != n || len(r.Of) != x.Rows || r.Neighbors.N != n {
		t.Errorf("%s: sizes do not fit: %+v", name, r.Report)
		return
	}
	if !vec.Finite(r.Mu.Data) || !vec.Finite(r.Sigma2) || !vec.Finite(r.Bandwidth2) || !vec.Finite([]float64{r.Report.LoglikInitial, r.Report.Loglik}) {
		t.Errorf("%s: not finite: %+v", name, r.Report)
	}
	if slices.Min(r.Sigma2) <= 0 || slices.Min(r.Bandwidth2) <= 0 {
		t.Errorf("%s: least sigma^2 %v, least Delta^2 %v", name, slices.Min(r.Sigma2), slices.Min(r.Bandwidth2))
	}
	var rows uint32
	for _, c := range r.Count {
		rows += c
	}
	if int(rows) != x.Rows {
		t.Errorf("%s: counts add up to %d of %d rows", name, rows, x.Rows)
	}
	if heavy := r.Settings.Tails == Student; heavy != (r.Student != nil) || heavy && (len(r.Student.Error2) != n || slices.Min(r.Student.Error2) <= 0 || !vec.Finite(r.Student.Error2)) {
		t.Errorf("%s: of heavy tails there is %+v", name, r.Student)
	}
	// With little damping, steps may lower the likelihood a little near the optimum.
	slack := 0.0
	if r.Settings.Tails == Student {
		slack = .01 * math.Abs(r.Report.LoglikInitial)
	}
	if r.Report.Pairs > 0 && r.Report.Loglik < r.Report.LoglikInitial-slack {
		t.Errorf("%s: the log-likelihood fell from %v to %v", name, r.Report.LoglikInitial, r.Report.Loglik)
	}
}

// TestDuplicatesAreOnePoint: duplicate rows change the counts, not the map.
func TestDuplicatesAreOnePoint(t *testing.T) {
	x := modeltest.Blobs(120, 4, 3)
	twice := vec.New[float32](0, 4)
	for i := range x.Rows {
		for range 1 + i%3 {
			twice.Data = append(twice.Data, x.Row(i)...)
			twice.Rows++
		}
	}
	for _, s := range []Settings{{Common: models.Common{Steps: 20}}, {Common: models.Common{Steps: 20}, Options: Options{Tails: Gaussian}}} {
		a, err := Fit(context.Background(), x, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Fit(context.Background(), twice, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Mu.Data, b.Mu.Data) || !slices.Equal(a.Sigma2, b.Sigma2) {
			t.Errorf("%v: duplicates change the map", s.Tails)
		}
		for i, c := range b.Count {
			if int(c) != 1+i%3 {
				t.Errorf("%v: point %d counts %d rows, want %d", s.Tails, i, c, 1+i%3)
			}
		}
		if b.Report.N != twice.Rows || b.Report.Unique != 120 {
			t.Errorf("%v: report %+v", s.Tails, b.Report)
		}
	}
}

// TestComponents: by default, all rows of two distant clusters are learnt. With Largest, rows of
// the smaller one are placed and flagged.
func TestComponents(t *testing.T) {
	x := modeltest.Blobs(120, 3, 5)
	for i := range 30 {
		x.Row(i)[0] += 1000
	}
	for _, tails := range []Tails{Student, Gaussian} {
		r, err := Fit(context.Background(), x, Settings{Common: models.Common{Neighbors: 8, Steps: 30}, Options: Options{Tails: tails}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Unlearnt != nil || r.Report.Components < 2 {
			t.Errorf("%v, connect: %d components, unlearnt %v", tails, r.Report.Components, r.Unlearnt)
		}
	}
	r, err := Fit(context.Background(), x, Settings{Common: models.Common{Neighbors: 8, Steps: 30}, Options: Options{Tails: Gaussian, Saul: saul.Options{Components: saul.Largest}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sane(t, "largest", x, r)
	for i := range 30 {
		if !r.Unlearnt[i] {
			t.Errorf("row %d of the smaller cluster is learnt", i)
		}
	}
	if slices.Index(r.Unlearnt[30:], false) < 0 {
		t.Error("nothing was learnt")
	}
}

func TestNeighborListsAreLongEnough(t *testing.T) {
	x := modeltest.Blobs(50, 3, 6)
	for want, lists := range map[int]int{5: 0, 12: 12, 49: 1000} {
		r, err := Fit(context.Background(), x, Settings{Common: models.Common{Neighbors: 5, Lists: lists, Steps: 1}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Neighbors.K != want {
			t.Errorf("lists of %d for Lists = %d, want %d", r.Neighbors.K, lists, want)
		}
	}
}

// reported learns a map with progress of every stage, and returns the report.
func reported(t *testing.T, set Settings) models.Report {
	t.Helper()
	stages := map[string]int{}
	r, err := Fit(context.Background(), modeltest.Blobs(200, 4, 7), set, func(stage string, done, total int) {
		if done < 0 || done > total {
			t.Errorf("%s: %d of %d", stage, done, total)
		}
		stages[stage]++
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"knn", "graph", "coarse", "spectral", "em"} {
		if stages[s] == 0 {
			t.Errorf("no progress of %s", s)
		}
	}
	return r.Report
}

func TestProgressAndReport(t *testing.T) {
	q := reported(t, Settings{Common: models.Common{Steps: 7}, Options: Options{Tails: Gaussian, Saul: saul.Options{Level: 1}}})
	if q.N != 200 || q.Dim != 4 || q.Dims != 2 || q.Level != 1 || q.Neighbors != 9 || q.Iterations != 7 ||
		q.Landmarks != landmark.Landmarks(200) || q.Edges == 0 || q.Pairs == 0 || q.CGIterations < 7 {
		t.Errorf("report %+v", q)
	}
}

func TestProgressAndReportOfHeavyTails(t *testing.T) {
	q := reported(t, Settings{Common: models.Common{Steps: 7}})
	if q.N != 200 || q.Dim != 4 || q.Dims != 2 || q.Level != 0 || q.Neighbors != 8 || q.Iterations != 7 ||
		q.Landmarks != 0 || q.Edges != 1600 || q.Components < 1 || q.Pairs == 0 || q.CGIterations < 7 {
		t.Errorf("report %+v", q)
	}
}
