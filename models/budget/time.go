package budget

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/internal/simd"
	"unfold/internal/simd/codes"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/mds"
	"unfold/models/pca"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Speed has the measured speed of this machine for the settings of a plan.
type Speed struct {
	// Rows and Steps of the trial fit.
	Rows, Steps int
	// Pair is the time of a pair of rows in the kernel of the search, in seconds, with all threads
	// busy.
	Pair float64
	// Trial has the seconds of the trial fit. Rest is the time outside its stages, and Still the
	// time of its learning without a step, which evaluates the likelihood twice.
	Trial       models.Seconds
	Rest, Still float64
	// Index is the time to index the trial's rows, in seconds; 0 for none.
	Index float64
	// Place is the time of placing a row on the trial's map, in seconds; 0 if the job has no rows to
	// place.
	Place float64
	// Learning is the time of learning and placing all rows, in seconds, for a kind of model that
	// predicts it itself.
	Learning float64
	// Rates are those of a projection.
	Rates pca.Rates
	// Sparse is the time of the search among sparse rows and of their projection, predicted by
	// MeasureSparse.
	Sparse float64
}

// These are the sizes of the trials.
const (
	trialPairs = 1000 // rows where all pairs are met
	trialSteps = 8
	// mostProjected is the maximum number of values of rows that a trial projects.
	mostProjected = 1024
	kernelTime    = 4 * time.Millisecond
	// trialTime is the time after which a trial is not repeated.
	trialTime = 700 * time.Millisecond
)

// trialRows returns the number of rows of the trial. It is larger for fits of minutes, because a
// fixed cost of a step would be counted as growing with the rows.
func (p Plan) trialRows() int {
	const few, more, many = 4096, 16_384, 100_000
	switch {
	case p.Coarse == models.CoarseAll || p.Spec.LVM.Tails == lvm.Gaussian && p.Level == 0:
		return trialPairs
	case p.Rows < many || p.Search == auto.Exact:
		return few
	}
	return more
}

// Measure measures small parts of the plan, in some tenths of a second. If the rows x of the plan
// are available, the trial uses some of them, since the search time depends on the distances of
// neighbours. x may be empty; NaN is a missing value. For rows that cannot be used the trial
// generates its own, and the fit reports the error later.
func Measure(ctx context.Context, p Plan, x vec.Matrix[float32]) (Speed, error) {
	defer collectSeldom()()
	v, err := measure(ctx, p, x)
	if err != nil && x.Rows > 0 && ctx.Err() == nil {
		return measure(ctx, p, vec.Matrix[float32]{})
	}
	return v, err
}

// collectSeldom undoes Collect until undo is called: after each megabyte a collection would run, beside
// a trial of some milliseconds. A trial allocates less than the fit.
func collectSeldom() (undo func()) {
	const usual = 100
	percent := debug.SetGCPercent(usual)
	if percent < 0 || percent > usual {
		debug.SetGCPercent(percent)
	}
	return func() { debug.SetGCPercent(percent) }
}

func measure(ctx context.Context, p Plan, x vec.Matrix[float32]) (Speed, error) {
	v := Speed{Rows: p.trialRows(), Steps: min(trialSteps, p.Steps), Pair: pairTime(p.Rows, p.Seen, p.threads())}
	if p.Spec.Kind != fit.LVM {
		var err error
		if v.Learning, err = p.Spec.Seconds(ctx, p.Rows, p.Seen); err == nil && p.Spec.PCA > 0 {
			v.Rates = pca.MeasureRates(p.Spec.Threads)
		}
		return v, err
	}
	v.Rows = min(v.Rows, max(p.Rows/2, 4*p.Lists, farfield.ExactBelow))
	v.Rows = min(v.Rows, p.Rows)
	spec := p.Spec
	spec.PCA = fit.PCANone
	for _, near := range []*prior.Settings{&spec.LVM.Student.Prior, &spec.LVM.Saul.Prior} {
		if near.Frame == prior.Given { // the coordinates are of the plan's rows, not of the trial's
			near.Frame, near.Given = prior.PCA, vec.Matrix[float64]{}
		}
	}
	if spec.LVM.Tails == lvm.Gaussian {
		spec.LVM.Saul.Level = saul.LevelOf(p.Level)
	} else {
		spec.LVM.Student.Coarse, spec.LVM.Student.Theta = p.Coarse, p.theta
		spec.LVM.Student.Single = student.SingleLengths(p.Rows)
		spec.LVM.Student.Supervision = 0 // trial rows have no labels; these take almost no time
		if p.Lists < spec.SearchLists(v.Rows) {
			spec.LVM.Student.Reach = p.Lists // few points have longer lists
		}
	}
	// The trial uses the plan's search method; the index is measured separately.
	spec.Search.Method = p.Search
	rows, others, err := p.trials(ctx, x, v.Rows)
	if err != nil {
		return v, fmt.Errorf("budget: trial: %w", err)
	}
	first := time.Now()
	for again := range 6 { // the least counts: others may be at work, too
		if again%2 == 0 && again > 0 && time.Since(first) > trialTime {
			break
		}
		em := &v.Trial.EM
		spec.Steps = v.Steps
		if again%2 == 1 {
			em, spec.Steps = &v.Still, 0
		}
		if spec.Steps == 0 {
			spec.Steps = -1
		}
		begin := time.Now()
		var steps stepTimes
		m, r, err := fit.Fit(ctx, rows, spec, steps.progress)
		if err != nil {
			return v, fmt.Errorf("budget: trial: %w", err)
		}
		s, took := r.Report.Seconds, time.Since(begin).Seconds()
		if again == 0 && others.Rows > 0 {
			if err := v.place(ctx, p, m, others); err != nil {
				return v, err
			}
		}
		if again%2 == 0 {
			s.EM = steps.steady(s.EM)
		}
		rest := took - s.KNN - s.Graph - s.Coarse - s.Spectral - s.EM - r.SecondsIndex
		for _, t := range []struct {
			best *float64
			next float64
		}{{&v.Trial.KNN, s.KNN}, {&v.Trial.Graph, s.Graph}, {&v.Trial.Coarse, s.Coarse}, {&v.Trial.Spectral, s.Spectral}, {em, s.EM}, {&v.Rest, rest}} {
			if *t.best == 0 || t.next < *t.best {
				*t.best = t.next
			}
		}
	}
	if err := v.index(ctx, p, rows); err != nil {
		return v, err
	}
	if p.Spec.PCA > 0 && p.Entries == 0 {
		v.Rates = pca.MeasureRates(p.Spec.Threads)
	}
	return v, ctx.Err()
}

// stepTimes has the times at which steps of learning begin, and the last ends.
type stepTimes []time.Time

func (t *stepTimes) progress(stage string, _, _ int) {
	if stage == "em" {
		*t = append(*t, time.Now())
	}
}

// steady returns the seconds of learning, which took the given ones, without interruptions: if other
// processes run, one step of a trial may take longer than the others together. Steps of more than
// three times the middle one count as the mean of the others.
func (t stepTimes) steady(took float64) float64 {
	if len(t) < 3 {
		return took
	}
	steps := make([]float64, len(t)-1)
	for i := range steps {
		steps[i] = t[i+1].Sub(t[i]).Seconds()
	}
	const most = 3
	middle := quantile.Middle(steps)
	sum, n := 0., 0.
	for _, s := range steps {
		if s <= most*middle {
			sum, n = sum+s, n+1
		}
	}
	return took + sum/n*float64(len(steps)) - t[len(t)-1].Sub(t[0]).Seconds()
}

// index measures the construction of cells or of an index, if the plan has either.
func (v *Speed) index(ctx context.Context, p Plan, x vec.Matrix[float32]) error {
	if p.Index != auto.HNSW {
		return nil
	}
	to := knn.Settings{Threads: p.Spec.Threads}
	reach, begin := min(p.reach(), x.Rows), time.Now()
	cells, err := auto.Cells(ctx, x, reach, p.Spec.Search, p.Spec.Threads)
	if err != nil {
		return fmt.Errorf("budget: trial: %w", err)
	}
	if cells != nil || p.Spec.Search.Scans(p.Rows, x.Cols) {
		v.Index = time.Since(begin).Seconds()
		return nil
	}
	build := func() error {
		_, err := auto.Build(ctx, x, reach, p.Spec.Search, to)
		return err
	}
	if lists := min(p.Lists, x.Rows-1); auto.Listed(p.Rows, lists) {
		nb, _, err := auto.Graph(ctx, x, lists, p.Spec.Search, to)
		if err != nil {
			return fmt.Errorf("budget: trial: %w", err)
		}
		build = func() error {
			_, err := auto.BuildFrom(ctx, x, nb, reach, p.Spec.Search, to)
			return err
		}
	}
	first := time.Now()
	for again := range 3 {
		if again > 0 && time.Since(first) > trialTime {
			break
		}
		begin := time.Now()
		if err := build(); err != nil {
			return fmt.Errorf("budget: trial: %w", err)
		}
		if took := time.Since(begin).Seconds(); again == 0 || took < v.Index {
			v.Index = took
		}
	}
	return nil
}

// pairTime measures the kernel of the search on panels that stay in the cache.
func pairTime(rows, dim, threads int) float64 {
	scan := scanFloats(dim)
	if knn.ByCodes(rows, dim) {
		scan = scanCodes(dim)
	}
	pairs := make([]float64, threads)
	begin := time.Now()
	par.Do(threads, threads, func(t int) {
		compare := scan()
		for again := true; again; again = time.Since(begin) < kernelTime { // once, however late
			for first := 0; first < panelRows; first += tile.Height {
				compare(first)
			}
			pairs[t] += panelRows * panelRows
		}
	})
	var sum float64
	for _, n := range pairs {
		sum += n
	}
	return time.Since(begin).Seconds() / sum
}

// These are the sizes of the panels that a kernel is measured with.
const panels, panelRows = 20, 20 * tile.Width

// scanFloats returns, for each thread, a comparison of tile.Height rows from the given one on with
// panels of float32, and scanCodes that of codes.
func scanFloats(dim int) func() func(first int) {
	p := tile.NewPanels(panelRows, dim, 0)
	for i := range p.N {
		p.Set(i, make([]float32, dim), 0, 0)
	}
	never := slices.Repeat([]float32{float32(math.Inf(1))}, p.N)
	return func() func(int) {
		mask := make([]uint64, panels*tile.Height)
		return func(first int) { tile.Scan(simd.Best(), mask, p, first, never, p, 0, panels, never) }
	}
}

func scanCodes(dim int) func() func(first int) {
	p := codes.NewPanels(panelRows, dim, codes.Fast(simd.Best())[0].Largest)
	never := slices.Repeat([]int32{math.MaxInt32}, p.N)
	return func() func(int) {
		left, mask := codes.NewLeft(p), make([]uint64, panels*codes.Height)
		return func(first int) {
			left.Take(simd.Best(), p, first)
			codes.Scan(simd.Best(), mask, left, never, p, 0, panels, never)
		}
	}
}

// Seconds returns the predicted duration of the plan in seconds of wall-clock time.
func (p Plan) Seconds(v Speed) float64 {
	n, n0 := float64(p.Rows), float64(v.Rows)
	if p.Spec.Kind != fit.LVM {
		return p.projection(v) + v.Pair*n*n/2 + v.Learning
	}
	sorted := n * math.Log2(n+1) / (n0 * math.Log2(n0+1))
	return p.projection(v) + p.learning(v) + sorted*(v.Rest+v.Index) + p.placing(v)
}

// learning returns the time from the neighbour search to the last step, including that of a sample
// if one is learnt first.
func (p Plan) learning(v Speed) float64 {
	n, n0 := float64(p.Rows), float64(v.Rows)
	sorted := n * math.Log2(n+1) / (n0 * math.Log2(n0+1))
	quadratic := v.Pair * n0 * n0 / 2
	knn := sorted * v.Trial.KNN
	switch {
	case p.Entries > 0:
		knn = 0 // it is in v.Sparse
	case p.Spec.Distance != distance.Euclidean && p.Search == auto.Exact: // almost all pairs of rows
		knn = v.Trial.KNN * n * n / (n0 * n0)
	case p.Search == auto.Exact:
		knn = max(v.Trial.KNN-quadratic, 0.2*v.Trial.KNN)*sorted + v.Pair*n*n/2
	}
	met := n * p.sources(n) / (n0 * p.sources(n0))
	em := v.Still * met
	if p.Steps > 0 {
		em += max(v.Trial.EM-v.Still, 0.3*v.Trial.EM) / float64(v.Steps) * float64(p.Steps) * met
	}
	coarse := v.Trial.Coarse * met
	start := v.Trial.Spectral * sorted
	if p.Spec.LVM.Tails == lvm.Student {
		// Whether rows lie on a sheet is asked of so many at most.
		start = v.Trial.Spectral * math.Min(n, mds.CurvedRows) / math.Min(n0, mds.CurvedRows)
	}
	if m := p.sample(); m > 0 {
		p.Rows = m
		start = p.learning(v)
	}
	return knn + sorted*v.Trial.Graph + coarse + start + em
}

// sources returns the number of points that each of n points is repelled by, up to a factor.
func (p Plan) sources(n float64) float64 {
	switch {
	case p.Spec.LVM.Tails == lvm.Gaussian:
		return math.Pow(n, math.Pow(3, -float64(p.Level)))
	case p.Coarse == models.CoarseAll:
		return n
	case p.Coarse == models.CoarseMap:
		return math.Log2(n + 1)
	}
	return 1
}

// projection returns the time of the principal components: moments of n rows, and eigenvectors.
func (p Plan) projection(v Speed) float64 {
	if p.Spec.PCA <= 0 {
		return 0
	}
	if p.Entries > 0 {
		return v.Sparse
	}
	return v.Rates.Seconds(p.Rows, p.Dim, p.Spec.PCA)
}
