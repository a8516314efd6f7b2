package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/radix"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// Neighborhood measures by ranks how well the map preserves the neighbourhoods of the data. The
// package comment has the formulas.
type Neighborhood struct {
	// K is the number of neighbours for trustworthiness, continuity and recall; RecallK are the
	// numbers for RecallAt.
	K       int
	RecallK []int
	Ranked
	// Error has the standard errors of a sample: 0 if Exact, NaN for a sample of one point.
	Error Ranked
	// Sample points were ranked against all Points. Exact reports that the sample is all points;
	// otherwise Seed chose it.
	Points, Sample int
	Exact          bool
	Seed           uint64
}

// Ranked has the figures that are computed from ranks. RecallAt[m] is for RecallK[m] neighbours.
// RNX is the area under R_NX(K) over log K for all K: 1 is a perfect map, 0 a random one.
type Ranked struct {
	Trustworthiness, Continuity, Recall, RNX float64
	// Density is the correlation between the logarithms of local radii in the data and on the map.
	Density  float64
	RecallAt []float64
}

// These are the defaults of zero settings.
const (
	defaultK      = 12
	defaultSample = 1000
)

var defaultRecall = []int{10, 30, 100}

// Neighborhoods compares the neighbours on the map y (n x d) with those in the data
// x (n x dim), row by row. K must be less than n/2.
func Neighborhoods[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], s Settings) (*Neighborhood, error) {
	r, err := newRanking(ctx, x, y, s, ofAll)
	if err != nil {
		return nil, err
	}
	return &r.Neighborhood, nil
}

// reach selects the points whose ranks are computed.
type reach int

const (
	ofNearest reach = iota // neighbours, on the other side: without R_NX
	ofAll
	ofTriplets // all, also of triples
)

// ranking is a Neighborhood with further results of its ranks.
type ranking struct {
	Neighborhood
	// triplets is the share of all triples with the same order on both sides, if requested and
	// Exact.
	triplets float64
	most     int // of K and RecallK
}

// These are the columns of the figures of a row; the columns of recall follow.
const (
	trustColumn = iota
	contColumn
	recallColumn
	rnxColumn
	tripletColumn
	dataRadiusColumn // log local radii
	mapRadiusColumn
	columns
)

func newRanking[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], s Settings, by reach) (*ranking, error) {
	r := new(ranking)
	chosen, err := r.plan(x.Rows, y.Rows, s)
	if err != nil {
		return nil, err
	}
	for _, err := range []error{models.CheckRows(x, nil), models.CheckRows(y, nil), distance.Check(s.Distance, x)} {
		if err != nil {
			return nil, fmt.Errorf("score: %w", err)
		}
	}
	rows := vec.New[float64](len(chosen), columns+len(r.RecallK))
	var weight []float64
	if by != ofNearest {
		weight = rnxWeights(r.Points)
	}
	dx, dy := newDistances(s.Distance, x, s.Threads), newDistances(distance.Euclidean, y, s.Threads)
	var lent par.Lender[rankWork]
	par.Ranges(s.Threads, len(chosen), TaskRows(r.Points), func(_, from, to int) {
		if ctx.Err() != nil {
			return
		}
		w := lent.Get()
		defer lent.Put(w)
		inData := dx.from(chosen[from:to], &w.x)
		for m := from; m < to; m++ {
			// Maps have few columns, so matrix products of a block would save nothing there.
			onMap := dy.from(chosen[m:m+1], &w.y)
			own := inData[(m-from)*r.Points : (m-from+1)*r.Points]
			if by == ofNearest {
				r.judgeNearest(w, own, onMap, chosen[m], rows.Row(m))
				continue
			}
			w.rank(own, onMap, chosen[m])
			r.judge(w, weight, rows.Row(m))
			if by == ofTriplets && r.Exact {
				rows.Row(m)[tripletColumn] = w.kept()
			}
		}
	})
	r.sum(rows)
	return r, ctx.Err()
}

// A task has at most taskRows rows and at most taskDistances distances in the data, but at least
// one row.
const (
	taskRows      = 32
	taskDistances = 1 << 22
)

// TaskRows returns the number of rows, out of n, that a thread ranks at a time. It bounds memory,
// because a thread stores their distances to all other rows.
func TaskRows(n int) int { return min(max(taskDistances/max(n, 1), 1), taskRows) }

// plan checks the settings, fills in the defaults and returns the points that sums run over.
func (r *ranking) plan(n, places int, s Settings) ([]int, error) {
	k, sample := s.K, s.Sample
	if k == 0 {
		k = defaultK
	}
	if sample == 0 {
		sample = defaultSample
	}
	switch {
	case places != n:
		return nil, models.BadInputf("score: %d points on the map, %d in the data", places, n)
	case k < 1 || 2*k >= n:
		return nil, models.BadInputf("score: %d neighbours of %d points: want 1 to less than half of the points", k, n)
	}
	r.K, r.RecallK = k, slices.Clone(s.Recall)
	if r.RecallK == nil {
		for _, k := range defaultRecall {
			if k < n-1 {
				r.RecallK = append(r.RecallK, k)
			}
		}
	} else if _, err := largest(r.RecallK, n-1); err != nil {
		return nil, err
	}
	r.most = slices.Max(append([]int{k}, r.RecallK...))
	r.Points, r.Sample, r.Exact = n, n, true
	if sample < 0 || sample >= n {
		return everyone(n), nil
	}
	r.Sample, r.Exact, r.Seed = sample, false, s.Seed
	return choose(n, sample, s.Seed), nil
}

// rnxWeights returns weights W with which the area under a point's R_NX over log K is sum_j
// W(max(r(i,j), s(i,j))) - 1. It uses that j counts in Q_NX(K) from its larger rank on.
func rnxWeights(n int) []float64 {
	var sum float64
	for k := 1; k <= n-2; k++ {
		sum += 1 / float64(k)
	}
	w := make([]float64, n)
	for k := n - 2; k >= 1; k-- {
		w[k] = w[k+1] + float64(n-1)/(float64(k)*float64(k)*float64(n-1-k)*sum)
	}
	return w
}

// rankWork ranks all points by their distance from one point.
type rankWork struct {
	x, y         blockWork
	sorter       radix.Sorter
	order        []int32
	in, on       []int32 // ranks in the data and on the map; 0 of the point itself
	inRadius     float64 // local radii
	onRadius     float64
	within, tree []int32
	nearest      nearestWork
}

// rank computes the ranks by distance from point i, in the data and on the map.
func (w *rankWork) rank(inData, onMap []float64, i int) {
	w.in, w.on = room(w.in, len(inData)), room(w.on, len(onMap))
	w.ranks(w.on, onMap, i)
	w.onRadius = w.radius(onMap, i)
	w.ranks(w.in, inData, i)
	w.inRadius = w.radius(inData, i)
}

// radius returns the local radius of point i from squared distances in w.order.
func (w *rankWork) radius(dist2 []float64, i int) float64 {
	list := w.nearest.inData[:0]
	for _, j := range w.order[:min(len(w.order), radiusNeighbors+1)] {
		if int(j) != i {
			list = append(list, j)
		}
	}
	w.nearest.inData = list
	return meanDistance(dist2, list)
}

// ranks computes the ranks of distances and leaves their order in w.order.
func (w *rankWork) ranks(rank []int32, dist []float64, i int) {
	w.order = w.sorter.Order(len(dist), func(j int) float64 { return dist[j] }, w.order)
	next := int32(1)
	for _, j := range w.order {
		if int(j) == i {
			rank[j] = 0
			continue
		}
		rank[j] = next
		next++
	}
}

// judge computes the figures of a ranked point.
func (r *ranking) judge(w *rankWork, weight, row []float64) {
	k := int32(r.K)
	// within[m] counts points whose larger rank is m.
	w.within = room(w.within, r.most+1)
	clear(w.within)
	var area, madeUp, lost float64
	for j, in := range w.in {
		on := w.on[j]
		m := max(in, on)
		area += weight[m]
		if int(m) <= r.most {
			w.within[m]++
		}
		if in > k && on <= k {
			madeUp += float64(in - k)
		}
		if on > k && in <= k {
			lost += float64(on - k)
		}
	}
	w.within[0] = 0 // the point itself
	row[rnxColumn] = area - 1
	r.figures(w, madeUp, lost, row)
}

// figures stores the figures of a row. madeUp is the sum of ranks beyond K in the data for
// neighbours on the map, lost the sum beyond K on the map for neighbours in the data.
func (r *ranking) figures(w *rankWork, madeUp, lost float64, row []float64) {
	for m := range r.most { // within[m] counts up to m now
		w.within[m+1] += w.within[m]
	}
	n, k := float64(r.Points), float64(r.K)
	scale := 2 / (k * (2*n - 3*k - 1))
	row[trustColumn], row[contColumn] = 1-scale*madeUp, 1-scale*lost
	row[recallColumn] = float64(w.within[r.K]) / k
	row[dataRadiusColumn], row[mapRadiusColumn] = math.Log(w.inRadius), math.Log(w.onRadius)
	for m, k := range r.RecallK {
		row[columns+m] = float64(w.within[k]) / float64(k)
	}
}

// sum computes the means over rows and their standard errors.
func (r *ranking) sum(rows vec.Matrix[float64]) {
	mean, err := sampleMeans(rows, r.Points)
	r.Ranked, r.Error = ranked(mean), ranked(err)
	r.triplets = mean[tripletColumn]
	r.Density, r.Error.Density = densities(rows, r.Points)
}

// densities returns the correlation of log local radii over the rows drawn from a population, and
// its standard error. Points with a radius of 0, which have many equal points, are omitted.
func densities(rows vec.Matrix[float64], population int) (r, err float64) {
	var in, on []float64
	for m := range rows.Rows {
		row := rows.Row(m)
		if a, b := row[dataRadiusColumn], row[mapRadiusColumn]; vec.Finite([]float64{a, b}) {
			in, on = append(in, a), append(on, b)
		}
	}
	if len(in) == 0 {
		return 0, 0
	}
	r, err = pearson(in, on)
	return r, err * math.Sqrt(1-float64(rows.Rows)/float64(population))
}

func ranked(row []float64) Ranked {
	return Ranked{Trustworthiness: row[trustColumn], Continuity: row[contColumn], Recall: row[recallColumn], RNX: row[rnxColumn], RecallAt: row[columns:]}
}
