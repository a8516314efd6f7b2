package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// sample is the result of a kind that learns a bounded sample of the points.
type sample struct {
	model interface {
		// PlaceAll places all points of x with the learnt ones.
		PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error)
		Parts() []snapshot.Part
	}
	// rows are the indices of the learnt points, ascending.
	rows []int32
	// points is the largest number of points that are learnt.
	points int
	// report has the model's fields: Edges, Components, Iterations, Converged and the likelihoods.
	report models.Report
	// own is the report that only this kind has.
	own any
	// near are the neighbour lists of all points, and search reports how they were found. near is
	// nil if learning did not need them.
	near   *knn.Neighbors
	search auto.Report
	// spec has the defaults filled in. LVM.Neighbors is the number of neighbours within the
	// bandwidth.
	spec Spec
}

// rowCheck returns an error for a row that cannot be learnt, like models.CheckRows.
type rowCheck func(x vec.Matrix[float32], names []string) error

// learnSample is Learn for kinds that learn a sample. fit learns a sample of the distinct rows of
// z. The others are placed and marked as unlearnt. Missing values of z are filled in.
func learnSample(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress, check rowCheck, fit func(z vec.Matrix[float32], step func(done, total int)) (*sample, error)) (*Learnt, error) {
	if err := check(z, nil); err != nil {
		return nil, err
	}
	stage := func(name string) func(done, total int) {
		return func(done, total int) { progress(name, done, total) }
	}
	n, r, given := z.Rows, &models.Result{}, z
	if r.Unique, r.Of, r.Count = collapse(z); len(r.Unique) < n {
		z = vec.Take(z, r.Unique)
	}
	clock := time.Now()
	lap := func(to *float64) { *to = time.Since(clock).Seconds(); clock = time.Now() }
	of, err := fit(z, stage("em"))
	if err != nil {
		return nil, err
	}
	if len(r.Unique) < n && !vec.Finite(given.Data) {
		for i, u := range r.Of { // copies the filled-in values
			copy(given.Row(i), z.Row(int(u)))
		}
	}
	r.Report = of.report
	k := of.spec.Neighbors
	r.Report.N, r.Report.Dim, r.Report.Unique, r.Report.Dims, r.Report.Neighbors = n, z.Cols, z.Rows, of.spec.Dims, k
	lap(&r.Report.Seconds.EM)
	if r.Neighbors, r.Report.Search = of.near, of.search; of.near == nil {
		r.Neighbors, r.Report.Search, err = auto.Graph(ctx, z, min(max(s.Lists, k), z.Rows-1), s.seeded(), knn.Settings{
			Threads: s.Threads, Progress: stage("knn"),
		})
		if err != nil {
			return nil, fmt.Errorf("%s: neighbours: %w", s.Kind, err)
		}
	}
	lap(&r.Report.Seconds.KNN)
	if r.Mu, r.Sigma2, err = of.model.PlaceAll(ctx, z, stage("place")); err != nil {
		return nil, err
	}
	r.Bandwidth2 = make([]float64, z.Rows)
	for i := range r.Bandwidth2 {
		_, dist2 := r.Neighbors.Row(i)
		r.Bandwidth2[i] = dist2[k-1]
	}
	if len(of.rows) < z.Rows {
		r.Unlearnt = slices.Repeat([]bool{true}, z.Rows)
		for _, p := range of.rows {
			r.Unlearnt[p] = false
		}
	}
	sampled := 0
	if len(of.rows) < z.Rows && z.Rows > of.points && of.points > 0 {
		sampled = len(of.rows)
	}
	return &Learnt{Sampled: sampled, Result: r, Parts: of.model.Parts(), Own: of.own, Spec: of.spec}, nil
}

// seeded returns the search settings with the seed of the fit.
func (s Spec) seeded() auto.Settings {
	search := s.Search
	search.Seed = s.Seed
	return search
}

// collapse is graph.Collapse for rows that may have missing values. Rows that have the same
// missing-value pattern and are otherwise equal become one point, since their missing values would
// be filled in alike.
func collapse(z vec.Matrix[float32]) (unique, of []int32, count []uint32) {
	if vec.Finite(z.Data) {
		return graph.Collapse(z)
	}
	marked := z.Clone()
	for i, v := range marked.Data {
		if v != v {
			marked.Data[i] = float32(math.Inf(1)) // no finite value equals it
		}
	}
	return graph.Collapse(marked)
}
