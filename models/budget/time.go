package budget

import (
	"context"
	"fmt"
	"math"
	"time"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/pca"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Speed is what Measure found out about this machine for the settings of a plan.
type Speed struct {
	// Rows and Steps of the trial fit.
	Rows, Steps int
	// Pair is what a pair of rows takes in the kernel of the search, in seconds,
	// with all threads at work.
	Pair float64
	// Trial are the seconds of the trial fit; Rest those outside of its stages, and
	// Still those of its learning without a step: the likelihood, twice.
	Trial       models.Seconds
	Rest, Still float64
	// Index are the seconds that an index of the trial's rows takes, 0 for none.
	Index float64
	// Learning are the seconds of learning and placing by a kind of model that says so
	// itself, for all rows of the plan.
	Learning float64
	// Projected are the seconds of a projection of few and of many rows, by a covariance
	// that is formed; Rates are for those that go another way.
	Projected [2]float64
	Rates     pca.Rates
}

// Sizes of the trials. What a projection takes is measured in at most
// trialColumns, with few and with many rows.
const (
	trialPairs   = 1000 // rows where all pairs are met
	trialSteps   = 8
	trialColumns = 256
	// mostProjected is of how many values rows may be that are projected for a trial.
	mostProjected = 1024
	fewRows       = 256
	manyRows      = 1024
	kernelTime    = 4 * time.Millisecond
	// trialTime is after how long a trial is not repeated any more.
	trialTime = 700 * time.Millisecond
)

// trialRows returns how many rows the trial has: more where a fit takes minutes, since
// what a step takes whatever their number would be counted as if it grew with them.
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

// Measure times small pieces of what the plan will do, in some tenths of a
// second. Of the rows of the plan, if they are at hand, some are the rows of its trial: how near one
// another neighbours lie decides how long they are searched for. x may be empty; NaN stands for a missing
// value. What is wrong with rows is left to the fit to say: the trial then makes its own.
func Measure(ctx context.Context, p Plan, x vec.Matrix[float32]) (Speed, error) {
	v, err := measure(ctx, p, x)
	if err != nil && x.Rows > 0 && ctx.Err() == nil {
		return measure(ctx, p, vec.Matrix[float32]{})
	}
	return v, err
}

func measure(ctx context.Context, p Plan, x vec.Matrix[float32]) (Speed, error) {
	v := Speed{Rows: p.trialRows(), Steps: min(trialSteps, p.Steps), Pair: pairTime(p.Seen, p.threads())}
	if p.Spec.Kind != fit.LVM {
		var err error
		if v.Learning, err = p.Spec.Seconds(ctx, p.Rows, p.Seen); err == nil && p.Spec.PCA > 0 {
			err = v.project(ctx, p)
		}
		return v, err
	}
	v.Rows = min(v.Rows, max(p.Rows/2, 4*p.Lists, farfield.ExactBelow))
	v.Rows = min(v.Rows, p.Rows)
	spec := p.Spec
	spec.PCA = fit.PCANone
	if spec.LVM.Tails == lvm.Gaussian {
		spec.LVM.Saul.Level = saul.LevelOf(p.Level)
	} else {
		spec.LVM.Student.Coarse, spec.LVM.Student.Theta = p.Coarse, p.theta
		spec.LVM.Student.Single = student.SingleLengths(p.Rows)
		spec.LVM.Student.Supervision = 0 // these rows have no labels, which take hardly any time
		if p.Lists < spec.SearchLists(v.Rows) {
			spec.LVM.Student.Reach = p.Lists // few points have longer lists
		}
	}
	// The trial is searched as the plan is, and an index is timed apart.
	spec.Search.Method = p.Search
	rows, err := p.trial(ctx, x, v.Rows)
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
		_, r, err := fit.Fit(ctx, rows, spec, nil)
		if err != nil {
			return v, fmt.Errorf("budget: trial: %w", err)
		}
		s, took := r.Report.Seconds, time.Since(begin).Seconds()
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
	if p.Spec.PCA > 0 {
		return v, v.project(ctx, p)
	}
	return v, nil
}

// index times the making of cells or of an index, if the plan has either.
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
	if cells != nil {
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

// project times projections.
func (v *Speed) project(ctx context.Context, p Plan) error {
	if !p.formed() {
		v.Rates = pca.MeasureRates(p.Spec.Threads)
		return ctx.Err()
	}
	columns := min(p.Dim, trialColumns)
	x := trial(manyRows, columns)
	for again := range 4 {
		i, rows := again%2, []int{fewRows, manyRows}[again%2]
		begin := time.Now()
		pca, err := pca.Fit(ctx, x.Slice(0, rows), min(p.Spec.PCA, columns), pca.Settings{Threads: p.Spec.Threads})
		if err != nil {
			return fmt.Errorf("budget: trial: %w", err)
		}
		pca.Projector().Apply(x.Slice(0, rows), p.Spec.Threads)
		if took := time.Since(begin).Seconds(); again < 2 || took < v.Projected[i] {
			v.Projected[i] = took
		}
	}
	return nil
}

// trial returns m rows as the plan's search meets them: some of the rows x of the plan if they can be
// had, or else made ones.
func (p Plan) trial(ctx context.Context, x vec.Matrix[float32], m int) (vec.Matrix[float32], error) {
	rows, ok := p.some(x, m)
	switch {
	case !ok && p.Spec.Distance.Bits():
		return toBits(trial(m, p.Seen)), nil
	case !ok:
		return trial(m, p.Seen), nil
	case p.Spec.PCA <= 0:
		return rows, nil
	}
	components, err := pca.Fit(ctx, rows, p.Spec.PCA, pca.Settings{Threads: p.Spec.Threads})
	if err != nil {
		return rows, err
	}
	return components.Projector().Apply(rows, p.Spec.Threads), nil
}

// some takes m of the rows x of the plan, evenly, if they are what a trial can do with: distinct,
// whole, and not so wide that their projection would take long.
func (p Plan) some(x vec.Matrix[float32], m int) (rows vec.Matrix[float32], ok bool) {
	if x.Rows != p.Rows || x.Cols != p.Dim || p.Spec.PCA > 0 && p.Dim > mostProjected || m >= x.Rows || p.Entries > 0 {
		return rows, false
	}
	at := make([]int, m)
	for i := range at {
		at[i] = i * (x.Rows / m)
	}
	rows = vec.Take(x, at)
	if !vec.Finite(rows.Data) {
		return rows, false
	}
	unique, _, _ := graph.Collapse(rows)
	return rows, len(unique) == m
}

// toBits sets the values of x that are above 0 to 1, the others to 0.
func toBits(x vec.Matrix[float32]) vec.Matrix[float32] {
	for at, value := range x.Data {
		if x.Data[at] = 0; value > 0 {
			x.Data[at] = 1
		}
	}
	return x
}

// trial makes rows in ten groups, the same each time.
func trial(n, dim int) vec.Matrix[float32] {
	x := vec.New[float32](n, dim)
	state := uint64(1)
	next := func() float32 { // splitmix64, four of them added: nearly normal
		var sum float32
		for range 4 {
			state += 0x9e3779b97f4a7c15
			z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			sum += float32(z>>40)/(1<<24) - 0.5
		}
		return sum * math.Sqrt2
	}
	centre := make([]float32, 10*dim)
	for k := range centre {
		centre[k] = 3 * next()
	}
	for i := range n {
		row, c := x.Row(i), centre[i%10*dim:]
		for k := range row {
			row[k] = c[k] + next()
		}
	}
	return x
}

// pairTime times the kernel of the search on panels that stay in the cache.
func pairTime(dim, threads int) float64 {
	const panels = 20
	p := tile.NewPanels(panels*tile.Width, dim, 0)
	for i := range p.N {
		p.Set(i, make([]float32, dim), 0, 0)
	}
	never := make([]float32, p.N)
	for i := range never {
		never[i] = float32(math.Inf(1))
	}
	level := simd.Best()
	pairs := make([]float64, threads)
	begin := time.Now()
	par.Do(threads, threads, func(t int) {
		mask := make([]uint64, panels*tile.Height)
		for again := true; again; again = time.Since(begin) < kernelTime { // once, however late
			for first := 0; first < p.N; first += tile.Height {
				tile.Scan(level, mask, p, first, never, p, 0, panels, never)
			}
			pairs[t] += float64(p.N) * float64(p.N)
		}
	})
	var sum float64
	for _, n := range pairs {
		sum += n
	}
	return time.Since(begin).Seconds() / sum
}

// Seconds is the predicted wall-clock time of the plan at a speed.
func (p Plan) Seconds(v Speed) float64 {
	n, n0 := float64(p.Rows), float64(v.Rows)
	if p.Spec.Kind != fit.LVM {
		return p.projection(v) + v.Pair*n*n/2 + v.Learning
	}
	sorted := n * math.Log2(n+1) / (n0 * math.Log2(n0+1))
	return p.projection(v) + p.learning(v) + sorted*(v.Rest+v.Index)
}

// learning is the time from the search of neighbours to the last step, with that of a sample of
// the rows, if it is learnt first.
func (p Plan) learning(v Speed) float64 {
	n, n0 := float64(p.Rows), float64(v.Rows)
	sorted := n * math.Log2(n+1) / (n0 * math.Log2(n0+1))
	quadratic := v.Pair * n0 * n0 / 2
	knn := sorted * v.Trial.KNN
	switch {
	case p.Spec.Distance != distance.Euclidean: // pairs of rows, with what little is left out
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
		start = v.Trial.Spectral // whether rows lie on a sheet is asked of so many, whatever their number
	}
	if m := p.sample(); m > 0 {
		p.Rows = m
		start = p.learning(v)
	}
	return knn + sorted*v.Trial.Graph + coarse + start + em
}

// sources is how many others n points are held against each, up to a factor.
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

// formed reports whether principal components come from a covariance that is formed.
func (p Plan) formed() bool {
	return pca.FormOf(p.Rows, p.Dim, p.Spec.PCA) == pca.Primal
}

// projection is the time of the principal components: moments of n rows, and
// eigenvectors.
func (p Plan) projection(v Speed) float64 {
	if p.Spec.PCA <= 0 {
		return 0
	}
	if !p.formed() {
		n, dim, q := float64(p.Rows), float64(p.Dim), float64(p.Spec.PCA)
		return v.Rates.Seconds(p.Rows, p.Dim, p.Spec.PCA) + v.Rates.Product*n*dim*q
	}
	wide := float64(p.Dim) / float64(min(p.Dim, trialColumns))
	row := max(v.Projected[1]-v.Projected[0], 0) / (manyRows - fewRows)
	fixed := max(v.Projected[0]-row*fewRows, 0)
	return row*float64(p.Rows)*wide*wide + fixed*wide*wide*wide
}
