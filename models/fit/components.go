package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/pca"
	"unfold/models/projection"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// MostPCA is how many principal components PCAAuto takes at most.
const MostPCA = 256

// How PCAAuto is decided. Numbers of components differ by componentStep, which fills the vectors of every
// processor. The share of neighbours is that of comparedNeighbors neighbours of comparedRows rows among each
// other, in components of basisRows other rows.
const (
	componentStep     = 16
	comparedRows      = 1000
	comparedNeighbors = 10
	basisRows         = 2000
	leastSampled      = 4 * comparedNeighbors // rows, or there is nothing to compare
	// componentTolerance is that of components that are only compared.
	componentTolerance = 1e-2
)

// The share of neighbours that has to be kept of up to fewRows rows, by how much less will do
// of ten times as many, and the least: a search of more rows takes a larger part of a fit.
// Chosen on digits, envelopes, faces, sentences and words: more components than these keep
// gain little R_NX, and cost some accuracy of classes.
const (
	fewRows   = 10_000
	mostShare = 0.88
	perTenth  = 0.08
	leastKept = 0.8
)

// MostComponents is how many principal components PCAAuto takes at most of so many rows: the
// rows do not tell more of them from noise.
func MostComponents(rows int) int { return max(DefaultPCA, min(MostPCA, rows/4)) }

// RowsChoose reports whether the number of principal components of vectors of dim elements is left to
// their rows (Spec.Choose).
func (s Spec) RowsChoose(dim int) bool {
	k, err := s.Kinds.Find(s.Kind)
	return err == nil && k.Name == LVM && s.PCA == PCAAuto && s.Distance == distance.Euclidean && dim > DefaultPCA
}

// ForRows is Resolve for so many rows, which bounds the number of components that they may choose.
func (s Spec) ForRows(rows, dim int) (Spec, error) {
	choose := s.RowsChoose(dim)
	s, err := s.Resolve(dim)
	if choose && s.PCA > 0 {
		s.PCA = min(s.PCA, MostComponents(rows))
	}
	return s, err
}

// Components is what PCAAuto has chosen.
type Components struct {
	// Of is the number of elements of a vector, Kept that of principal components; they
	// are equal where vectors stay as they are.
	Of   int `json:"of"`
	Kept int `json:"kept"`
	// Neighbors is the share of the nearest neighbours of a sample of rows that are
	// neighbours in the components, too, and Variance the share of the variance.
	Neighbors float64 `json:"neighbors"`
	Variance  float64 `json:"variance"`
}

// Choose decides how many principal components are kept of the rows of x (n x dim), if
// that is left to PCAAuto and there is a choice: else it returns the spec as it is, and nil.
// The number is the least, of 50 to MostComponents, that keeps a share of the nearest neighbours
// of a sample: 88 % up to 10,000 rows and less of more. Where no such number is well below
// dim, vectors stay as they are if they have at most MostPCA elements.
func (s Spec) Choose(ctx context.Context, x vec.Matrix[float32]) (Spec, *Components, error) {
	if !s.RowsChoose(x.Cols) || x.Rows < leastSampled {
		return s, nil, nil
	}
	sample, err := newSample(ctx, x, s)
	var c *Components
	if err == nil {
		s, c, err = sample.choose(ctx, s)
	}
	if models.IsBadInput(err) {
		return s, nil, nil // what is wrong will be found where all rows are projected
	}
	return s, c, err
}

// enough is by how much less of the neighbours old components may keep than new ones would.
const enough = 0.02

// Renew returns the projection of a map that is learnt from the rows of x now: old, which was
// learnt from earlier rows, if it keeps hardly fewer neighbours than components of x
// would. New components turn every vector, so that points move for nothing.
func (s Spec) Renew(ctx context.Context, x vec.Matrix[float32], old *projection.Projection) (*projection.Projection, error) {
	if old.Identity() {
		return old, nil
	}
	if x.Rows < leastSampled {
		return s.learnProjection(ctx, x, old)
	}
	sample, err := newSample(ctx, x, s)
	if err != nil {
		return nil, err
	}
	if s.RowsChoose(x.Cols) {
		if s, _, err = sample.choose(ctx, s); err != nil {
			return nil, err
		}
	}
	renewed, err := s.learnProjection(ctx, x, old)
	if err != nil {
		return nil, err
	}
	var kept [2]float64
	for i, project := range []*projection.Projection{old, renewed} {
		if kept[i], err = sample.share(ctx, project.Apply(sample.rows, s.Threads)); err != nil {
			return nil, err
		}
	}
	if kept[0] >= kept[1]-enough {
		return old, nil
	}
	return renewed, nil
}

// learnProjection learns the components that the spec wants of the rows of x; it returns old if it wants
// none.
func (s Spec) learnProjection(ctx context.Context, x vec.Matrix[float32], old *projection.Projection) (*projection.Projection, error) {
	p, err := prepareFull(ctx, x, s, nil)
	if err != nil || p.spec.PCA == PCANone {
		return old, err
	}
	return p.components(ctx, x)
}

// shareOf is the share of neighbours that components of n rows have to keep.
func shareOf(n int) float64 {
	tenths := math.Log10(max(1, float64(n)/fewRows))
	return max(leastKept, mostShare-perTenth*tenths)
}

// componentSample compares the neighbours of some rows with those in components of others.
type componentSample struct {
	spec        Spec
	rows, basis vec.Matrix[float32]
	near        *knn.Neighbors // of rows
	of          int            // how many rows they were drawn from
}

// newSample draws rows.
func newSample(ctx context.Context, x vec.Matrix[float32], spec Spec) (c *componentSample, err error) {
	order := rand.New(rand.NewPCG(spec.Seed, 0xc0a)).Perm(x.Rows)
	compared := min(comparedRows, x.Rows/2)
	take := func(from, to int) vec.Matrix[float32] {
		slices.Sort(order[from:to])
		return vec.Take(x, order[from:to])
	}
	c = &componentSample{spec: spec, rows: take(0, compared), basis: take(compared, min(compared+basisRows, x.Rows)), of: x.Rows}
	if err = models.CheckRows(c.rows, nil); err == nil {
		c.near, err = c.neighbors(ctx, c.rows)
	}
	return c, err
}

// neighbors are the nearest rows of each row of z.
func (c *componentSample) neighbors(ctx context.Context, z vec.Matrix[float32]) (*knn.Neighbors, error) {
	return knn.Graph(ctx, z, comparedNeighbors, knn.Settings{Threads: c.spec.Threads})
}

// choose sets the number of components of a spec that leaves it to the rows.
func (c *componentSample) choose(ctx context.Context, s Spec) (Spec, *Components, error) {
	chosen, err := c.least(ctx, shareOf(c.of))
	if err != nil {
		return s, nil, err
	}
	chosen.Kept = min(chosen.Of, max(chosen.Kept, s.MapDims()))
	s.PCA = chosen.Kept
	if chosen.Kept == chosen.Of {
		s.PCA = PCANone
	}
	return s, chosen, nil
}

// least is the least number of components that keeps a share of the neighbours; all
// elements if none of so few elements does, or hardly less.
func (c *componentSample) least(ctx context.Context, share float64) (*Components, error) {
	dim, most := c.rows.Cols, MostComponents(c.of)
	var last *Components
	// Components of many are computed only where few do not suffice.
	for _, part := range [][2]int{{DefaultPCA, 64}, {80, 128}, {144, MostPCA}} {
		if part[0] >= dim || part[0] > most {
			break
		}
		var err error
		if last, err = c.within(ctx, part[0], min(part[1], dim, most), share); err != nil {
			return nil, err
		}
		if last.Neighbors >= share {
			break
		}
	}
	if dim <= MostPCA && (last.Neighbors < share || 4*last.Kept > 3*dim) {
		return &Components{Of: dim, Kept: dim, Neighbors: 1, Variance: 1}, nil
	}
	return last, nil
}

// within is the least number of components from one number to another that keeps a share
// of the neighbours, or the largest if none does.
func (c *componentSample) within(ctx context.Context, from, to int, share float64) (*Components, error) {
	p, err := pca.Fit(ctx, c.basis, to, pca.Settings{Threads: c.spec.Threads, Seed: c.spec.Seed, Tolerance: componentTolerance})
	if err != nil {
		return nil, err
	}
	z := p.Projector().Apply(c.rows, c.spec.Threads)
	numbers := []int{from}
	for q := from/componentStep*componentStep + componentStep; q <= to; q += componentStep {
		numbers = append(numbers, q)
	}
	kept := make([]float64, len(numbers))
	at := sort.Search(len(numbers)-1, func(i int) bool {
		if err == nil {
			kept[i], err = c.share(ctx, columns(z, numbers[i]))
		}
		return kept[i] >= share
	})
	if err == nil && kept[at] == 0 {
		kept[at], err = c.share(ctx, columns(z, numbers[at]))
	}
	var variance float64
	for _, v := range p.Variance[:numbers[at]] {
		variance += v
	}
	return &Components{Of: c.rows.Cols, Kept: numbers[at], Neighbors: kept[at], Variance: variance / p.Total}, err
}

// columns are the first q columns of z.
func columns(z vec.Matrix[float32], q int) vec.Matrix[float32] {
	first := vec.New[float32](z.Rows, q)
	for i := range z.Rows {
		copy(first.Row(i), z.Row(i))
	}
	return first
}

// share is the share of the neighbours of rows that are neighbours in their projections z, too.
func (c *componentSample) share(ctx context.Context, z vec.Matrix[float32]) (float64, error) {
	near, err := c.neighbors(ctx, z)
	if err != nil {
		return 0, err
	}
	hits := 0
	for i := range z.Rows {
		want, _ := c.near.Row(i)
		got, _ := near.Row(i)
		for _, j := range got {
			if slices.Contains(want, j) {
				hits++
			}
		}
	}
	return float64(hits) / float64(z.Rows*comparedNeighbors), nil
}
