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

// MostPCA is the largest number of principal components that PCAAuto chooses.
const MostPCA = 256

// These constants determine the choice of PCAAuto. Candidate numbers of components are multiples of
// componentStep, which fills the vector registers of every processor. The share of preserved
// neighbours is measured on comparedRows rows with comparedNeighbors neighbours each. The
// components are learnt from basisRows other rows.
const (
	componentStep     = 16
	comparedRows      = 1000
	comparedNeighbors = 10
	basisRows         = 2000
	leastSampled      = 4 * comparedNeighbors // fewer rows have too little to compare
	firstComponents   = 64                    // more are computed only if these do not suffice
	// componentTolerance is the tolerance of components that are only compared.
	componentTolerance = 1e-2
)

// mostShare is the share of neighbours that the components must preserve for up to fewRows rows. It
// falls by perTenth for ten times as many rows, to leastKept at the least, because the search takes
// a larger part of the time of a fit of more rows. The values were chosen on digits, envelopes,
// faces, sentences and words. More components than these require gain little R_NX and lose some
// accuracy of classes.
const (
	fewRows   = 10_000
	mostShare = 0.88
	perTenth  = 0.08
	leastKept = 0.8
)

// MostComponents returns the largest number of principal components that PCAAuto chooses for the
// given number of rows. So few rows cannot distinguish further components from noise.
func MostComponents(rows int) int { return max(DefaultPCA, min(MostPCA, rows/4)) }

// RowsChoose reports whether the number of principal components of vectors of dim elements depends
// on the rows (Spec.Choose).
func (s Spec) RowsChoose(dim int) bool {
	k, err := s.Kinds.Find(s.Kind)
	return err == nil && k.Name == LVM && s.PCA == PCAAuto && s.Distance == distance.Euclidean && dim > DefaultPCA
}

// ForRows is Resolve for a known number of rows, which bounds the number of components that Choose
// may choose.
func (s Spec) ForRows(rows, dim int) (Spec, error) {
	choose := s.RowsChoose(dim)
	s, err := s.Resolve(dim)
	if choose && s.PCA > 0 {
		s.PCA = min(s.PCA, MostComponents(rows))
	}
	return s, err
}

// Components is the result of PCAAuto's choice.
type Components struct {
	// Of is the number of elements of a vector, Kept that of principal components. They are equal
	// if vectors are not projected.
	Of   int `json:"of"`
	Kept int `json:"kept"`
	// Neighbors is the share of nearest neighbours, in a sample of rows, that are also neighbours
	// in the components. Variance is the share of the variance that the components keep.
	Neighbors float64 `json:"neighbors"`
	Variance  float64 `json:"variance"`
}

// Choose chooses the number of principal components of the rows of x (n x dim) if the spec leaves
// it to PCAAuto. It is the least number from 50 to MostComponents that preserves a share of the
// nearest neighbours of a sample: 88 % up to 10,000 rows, and less for more rows. If no such number
// is well below dim and vectors have at most MostPCA elements, they are not projected. Otherwise,
// if there is no choice, Choose returns the spec unchanged and nil.
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
		return s, nil, nil // projecting all rows will report the error
	}
	return s, c, err
}

// enough is the share of neighbours by which old components may be worse than new ones and still be
// kept.
const enough = 0.02

// Renew returns the projection for a map that is learnt anew from the rows of x. It keeps old,
// which was learnt from earlier rows, if that preserves hardly fewer neighbours than components of
// x. New components would rotate every vector and so move points for no reason.
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

// learnProjection learns the components of the rows of x according to the spec. It returns old if
// the spec wants none.
func (s Spec) learnProjection(ctx context.Context, x vec.Matrix[float32], old *projection.Projection) (*projection.Projection, error) {
	p, err := prepareFull(ctx, x, s, nil)
	if err != nil || p.spec.PCA == PCANone {
		return old, err
	}
	return p.components(ctx, x)
}

// shareOf returns the share of neighbours that components of n rows must preserve.
func shareOf(n int) float64 {
	tenths := math.Log10(max(1, float64(n)/fewRows))
	return max(leastKept, mostShare-perTenth*tenths)
}

// componentSample compares the neighbours of some rows with their neighbours in the components of
// other rows.
type componentSample struct {
	spec        Spec
	rows, basis vec.Matrix[float32]
	near        *knn.Neighbors // of rows
	of          int            // number of rows that the sample was drawn from
}

// newSample draws the sample of rows and finds their neighbours.
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

// ChoiceBytes returns the approximate memory of Choose for n rows of dim elements, besides the rows: its
// samples, and as many components as it computes first.
func ChoiceBytes(n, dim int) int64 {
	compared := min(comparedRows, n/2)
	basis := min(basisRows, n-compared)
	return 4*int64(dim)*int64(compared+basis) + pca.Bytes(basis, dim, min(firstComponents, dim))
}

// neighbors returns the neighbours of each row of z.
func (c *componentSample) neighbors(ctx context.Context, z vec.Matrix[float32]) (*knn.Neighbors, error) {
	return knn.Graph(ctx, z, comparedNeighbors, knn.Settings{Threads: c.spec.Threads})
}

// choose sets the number of components of a spec.
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

// least returns the least number of components that preserves the share of neighbours. It returns
// all elements if no smaller number does and there are few, or if the number is hardly smaller.
func (c *componentSample) least(ctx context.Context, share float64) (*Components, error) {
	dim, most := c.rows.Cols, MostComponents(c.of)
	var last *Components
	// Larger numbers of components are computed only if smaller ones do not suffice.
	for _, part := range [][2]int{{DefaultPCA, firstComponents}, {80, 128}, {144, MostPCA}} {
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

// within returns the least number of components in a range that preserves the share of neighbours,
// or the largest number of the range if none does.
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

// columns returns the first q columns of z.
func columns(z vec.Matrix[float32], q int) vec.Matrix[float32] {
	first := vec.New[float32](z.Rows, q)
	for i := range z.Rows {
		copy(first.Row(i), z.Row(i))
	}
	return first
}

// share returns the share of the neighbours of rows that are also neighbours in their projections
// z.
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
