package budget

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/student"
	"unfold/sparse/knn"
)

// near reports whether got differs from want by at most a share.
func near(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

// The formulas for repulsion fields agree with the sizes that the fields report.
func TestFieldBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range []int{1, 2, 3, 10} {
		for _, n := range []int{3000, 30_000} {
			mu, sigma2, delta2 := vec.New[float64](n, d), make([]float64, n), make([]float64, n)
			for i := range n {
				sigma2[i], delta2[i] = student.DefaultSigma2, 0.5+r.Float64()
				for k := range d {
					mu.Row(i)[k] = 10 * r.NormFloat64()
				}
			}
			fields := map[models.Coarse]farfield.Field{
				models.CoarseAll:    farfield.NewAll(delta2, d),
				models.CoarseShared: farfield.NewShared(delta2, d, farfield.SharedSettings{}),
			}
			if d <= 3 {
				fields[models.CoarseMap] = farfield.NewCells(delta2, d, farfield.CellSettings{})
			}
			for kind, f := range fields {
				f.Move(0, mu, sigma2)
				if got, want := fieldBytes(kind, n, d), float64(f.Bytes()); !near(got, want, 0.15) {
					t.Errorf("coarse %v, n = %d, d = %d: %.0f bytes a point predicted, it holds %.0f", kind, n, d, got/float64(n), want/float64(n))
				}
			}
		}
	}
}

// The formulas for the constants and the whole model agree with the sizes that these report.
func TestModelBytes(t *testing.T) {
	for _, dim := range []int{2, 50} {
		n, d := 6000, 2
		x := trial(n, dim)
		// Of more threads some may never sweep.
		p, err := New(Job{Rows: n, Dim: dim, Spec: fit.Spec{PCA: fit.PCANone, Common: models.Common{Threads: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		nb, err := knn.Graph(t.Context(), x, p.Lists, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		set := p.Spec.Latent().ForStudent()
		set.Steps = 1
		l, err := student.NewLearner(x, nb, set, 0)
		if err != nil {
			t.Fatal(err)
		}
		problem, m := l.Problem, l.Model
		further, reach := set.FurtherEdges(n)
		if got, want := problemBytes(n, dim, p.Neighbors, further, reach), float64(problem.Bytes()); !near(got, want, 0.15) {
			t.Errorf("dim %d: constants of %.0f bytes predicted, they are %.0f", dim, got, want)
		}
		m.SetPrior(prior.New(vec.New[float64](n, d)), prior.Schedule{})
		st, err := student.Start(t.Context(), x, d, student.StartSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Learn(t.Context(), st, nil); err != nil {
			t.Fatal(err)
		}
		lists := 4*len(nb.Index) + 8*len(nb.Dist2)
		held := len(x.Data)*4 + lists + 8*(len(st.Mu.Data)+n) + 16*n
		if got, want := float64(p.stage("em")), float64(m.Bytes())+float64(held); !near(got, want, 0.05) {
			t.Errorf("dim %d: %.0f bytes a point predicted while learning, there are %.0f", dim, got/float64(n), want/float64(n))
		}
	}
}

// stage returns the bytes of a stage.
func (p Plan) stage(name string) int64 {
	for _, s := range p.Stages {
		if s.Name == name {
			return s.Bytes
		}
	}
	panic("there is no stage " + name)
}

// A fit of ten million rows of 50 values needs less than 8 GB, including the program itself.
func TestTenMillionRows(t *testing.T) {
	p, err := New(Job{Rows: 10_000_000, Dim: 50})
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(p.Bytes()) / 1e9; got > 7 {
		t.Errorf("%.2f GB are predicted", got)
	}
}

// A plan has the choices that the fit then makes.
func TestPlanIsWhatIsDone(t *testing.T) {
	for _, c := range []struct {
		n, dim int
		spec   fit.Spec
	}{
		{300, 4, fit.Spec{}},
		{2100, 60, fit.Spec{Common: models.Common{Steps: 3}}},
		{2100, 8, fit.Spec{Common: models.Common{Dims: 10, Steps: 2}}},
		{300, 8, fit.Spec{Common: models.Common{Neighbors: 12}, LVM: lvm.Options{Student: student.Options{Thorough: true}}}},
		{400, 5, fit.Spec{Common: models.Common{Steps: -1}, LVM: lvm.Options{Tails: lvm.Gaussian}}},
		{1200, 5, fit.Spec{PCA: 3, Common: models.Common{Steps: 2}, LVM: lvm.Options{Tails: lvm.Gaussian}}},
	} {
		p, err := New(Job{Rows: c.n, Dim: c.dim, Spec: c.spec})
		if err != nil {
			t.Fatal(err)
		}
		s, r, err := fit.Fit(t.Context(), trial(c.n, c.dim), c.spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(p.Seen, p.Neighbors, p.Level, p.Steps, p.Spec.Dims)
		want := fmt.Sprint(r.Report.Dim, r.Report.Neighbors, r.Report.Level, r.Report.Iterations, r.Report.Dims)
		if got != want {
			t.Errorf("%+v: planned (seen, neighbours, level, steps, dims) %s, done %s", c, got, want)
		}
		kind := models.CoarseInput.String()
		if s.Student != nil {
			kind = s.Student.Field
		}
		if p.Coarse.String() != kind {
			t.Errorf("%+v: planned coarse %v, done %s", c, p.Coarse, kind)
		}
	}
}

func TestNoPlan(t *testing.T) {
	for _, j := range []Job{
		{Rows: 1, Dim: 3},
		{Rows: 100, Dim: 3, Spec: fit.Spec{PCA: 4}},
	} {
		if _, err := New(j); !models.IsBadInput(err) {
			t.Errorf("%+v: %v, expected bad input", j, err)
		}
	}
	if _, err := New(Job{Rows: 100, Dim: 3, Spec: fit.Spec{LVM: lvm.Options{Student: student.Options{Momentum: 2}}}}); err == nil {
		t.Error("a momentum of 2 is planned")
	}
}

// Projected rows are kept in a file for the report, unless they are few. Many rows without
// projection are in a file too. So are many neighbour lists while a map with heavy tails is learnt.
func TestSetsAside(t *testing.T) {
	digits := Job{Rows: 70_000, Dim: 784, Scored: true}
	digits.Spec.Threads = 2 // a report takes memory for each
	for name, c := range map[string]struct {
		change func(*Job)
		want   bool
	}{
		"as they come":     {func(*Job) {}, true},
		"without a report": {func(j *Job) { j.Scored = false }, false},
		"not projected":    {func(j *Job) { j.Dim = 50 }, false},
		"many":             {func(j *Job) { j.Rows, j.Dim, j.Scored = 400_000, 50, false }, true},
		"few rows":         {func(j *Job) { j.Rows = 600 }, false},
		"another kind":     {func(j *Job) { j.Spec.Kind = fit.GPLVM }, false},
	} {
		j := digits
		c.change(&j)
		p, err := New(j)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.SetsAside(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	gaussian := fit.Spec{LVM: lvm.Options{Tails: lvm.Gaussian}}
	for name, c := range map[string]struct {
		job  Job
		want bool
	}{
		"many lists":     {Job{Rows: 600_000, Dim: 5}, true},
		"few lists":      {Job{Rows: 500_000, Dim: 5}, false},
		"Gaussian tails": {Job{Rows: 600_000, Dim: 5, Spec: gaussian}, false},
		"another kind":   {Job{Rows: 600_000, Dim: 5, Spec: fit.Spec{Kind: fit.GPLVM}}, false},
	} {
		p, err := New(c.job)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.SetsListsAside(); got != c.want {
			t.Errorf("%s: lists are set aside: %v", name, got)
		}
	}
	with, err := New(digits)
	if err != nil {
		t.Fatal(err)
	}
	digits.Scored = false
	without, err := New(digits)
	if err != nil {
		t.Fatal(err)
	}
	if more := float64(with.Bytes()) / float64(without.Bytes()); more > 1.1 {
		t.Errorf("a report takes %.2f of the memory", more)
	}
}

// Increasing any size or setting increases the predicted memory.
func TestBytesGrow(t *testing.T) {
	base := Job{Rows: 50_000, Dim: 40, Base: 1 << 20}
	bytes := func(change func(*Job)) int64 {
		j := base
		change(&j)
		p, err := New(j)
		if err != nil {
			t.Fatal(err)
		}
		return p.Bytes()
	}
	least := bytes(func(*Job) {})
	for name, change := range map[string]func(*Job){
		"rows":       func(j *Job) { j.Rows *= 2 },
		"values":     func(j *Job) { j.Dim = 50 },
		"kept":       func(j *Job) { j.Kept = 100 },
		"clusters":   func(j *Job) { j.Clusters = 5000 },
		"scored":     func(j *Job) { j.Scored, j.Spec.Threads = true, 8 },
		"base":       func(j *Job) { j.Base *= 2 },
		"dims":       func(j *Job) { j.Spec.Dims = 10 },
		"neighbours": func(j *Job) { j.Spec.Neighbors = 30 },
	} {
		if got := bytes(change); got <= least {
			t.Errorf("more %s: %d bytes, before %d", name, got, least)
		}
	}
}

// Within changes only as many settings as necessary, keeps to the limit, and its error names a
// sufficient limit and number of rows.
func TestWithin(t *testing.T) {
	j := Job{Rows: 100_000, Dim: 10, Spec: fit.Spec{Common: models.Common{Dims: 3}}}
	free, err := New(j)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Within(j, free.Bytes())
	if err != nil || p.Coarse != models.CoarseMap || p.Changed != nil {
		t.Errorf("as much as is needed: %v, coarse %v, changed %v", err, p.Coarse, p.Changed)
	}
	p, err = Within(j, free.Bytes()-1)
	if err != nil || p.Coarse != models.CoarseShared || len(p.Changed) != 1 || p.Bytes() >= free.Bytes() {
		t.Errorf("a little less: %v, coarse %v, changed %v", err, p.Coarse, p.Changed)
	}
	limit := p.Bytes() / 2
	_, err = Within(j, limit)
	var little *TooLittle
	if !errors.As(err, &little) || little.Need != p.Bytes() || little.Limit != limit {
		t.Fatalf("half of it: %v", err)
	}
	j.Rows = little.Rows
	if p, err := Within(j, limit); err != nil || p.Bytes() > limit {
		t.Errorf("the %d rows that would fit: %v", j.Rows, err)
	}
	if j.Rows += j.Rows / 50; func() bool { _, err := Within(j, limit); return err == nil }() {
		t.Errorf("%d rows fit, too, but were not offered", j.Rows)
	}
	// Explicit settings are kept.
	j.Rows, j.Spec.LVM.Student.Coarse = 100_000, models.CoarseMap
	if _, err := Within(j, free.Bytes()-1); !errors.As(err, &little) {
		t.Errorf("with cells that were asked for: %v", err)
	}
}

// Rows in a file add neither garbage nor memory to learning. A large plan reports the same progress
// as a small one.
func TestRowsInAFile(t *testing.T) {
	p, err := New(Job{Rows: 1_000_000, Dim: 50})
	if err != nil {
		t.Fatal(err)
	}
	input := int64(4 * p.Rows * p.Dim)
	for _, s := range p.Stages {
		uses := s.Name != "knn" && s.Name != "em" && s.Name != "novelty" && s.Name != "write"
		if uses != (s.File == input) || !uses && s.File != 0 {
			t.Errorf("stage %s: %d bytes in the file of %d", s.Name, s.File, input)
		}
	}
	small, err := New(Job{Rows: 1000, Dim: 5})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Large() || small.Large() {
		t.Errorf("a million rows are large: %v, a thousand: %v", p.Large(), small.Large())
	}
	for name, p := range map[string]*Plan{"large": &p, "small": &small} {
		var heard []string
		tell := p.Returning(func(stage string, done, total int) { heard = append(heard, fmt.Sprint(stage, done, total)) })
		tell("knn", 1, 2)
		tell("knn", 2, 2)
		tell("em", 0, 5)
		if want := []string{"knn1 2", "knn2 2", "em0 5"}; !slices.Equal(heard, want) {
			t.Errorf("%s: heard %q, want %q", name, heard, want)
		}
	}
}

// Very many rows are learnt after a sample, which takes memory and time. Sparse rows, whose
// neighbours are given, have no sample.
func TestPlanOfASample(t *testing.T) {
	few, err := New(Job{Rows: 99_999, Dim: 20})
	if err != nil {
		t.Fatal(err)
	}
	many, err := New(Job{Rows: 100_000, Dim: 20})
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := New(Job{Rows: 100_000, Dim: 2000, Entries: 10_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if few.sample() != 0 || many.sample() != 10_000 || sparse.sample() != 0 {
		t.Errorf("samples of %d, %d and %d rows, want 0, 10000 and 0", few.sample(), many.sample(), sparse.sample())
	}
	if few.Steps != 80 || many.Steps != 60 || sparse.Steps != 80 {
		t.Errorf("%d, %d and %d steps, want 80, 60 and 80", few.Steps, many.Steps, sparse.Steps)
	}
	if a, b := few.stage("spectral"), many.stage("spectral"); float64(b) < 1.02*float64(a) {
		t.Errorf("the start takes %d bytes, with a sample %d", a, b)
	}
	v := Speed{Rows: 4096, Steps: 8, Trial: models.Seconds{KNN: 0.1, Graph: 0.1, EM: 1}, Still: 0.1}
	whole := many.Seconds(v)
	many.Entries = 1 // as if neighbours were given
	if part := many.Seconds(v); !(whole > part) {
		t.Errorf("%v s with a sample, %v s without", whole, part)
	}
}

// Most returns the number of rows that fit in the limit with the given settings, including the
// memory of ingest.Drawn.
func TestMost(t *testing.T) {
	j := Job{Rows: 2_000_000, Dim: 50, Base: 100 << 20}
	const limit = 512 << 20
	most := Most(j, limit)
	bytes := func(rows int) int64 {
		one := j
		one.Rows = rows
		p, err := New(one)
		if err != nil {
			t.Fatal(err)
		}
		return p.Bytes() + int64(drawnBytes*float64(j.Rows))
	}
	base := j.Base + int64(drawnBytes*float64(j.Rows))
	used := limit - (limit-base)/spared
	if most < 100_000 || bytes(most) > used || bytes(most+most/100) <= used {
		t.Errorf("%d rows take %d bytes, 1 %% more %d", most, bytes(most), bytes(most+most/100))
	}
	if none := Most(j, j.Base); none != 0 {
		t.Errorf("%d rows of no memory", none)
	}
}
