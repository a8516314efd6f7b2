package novelty

import (
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// DefaultK is the number of neighbours in the scores. The authors of LOF recommend at least ten;
// more would blur small clusters.
const DefaultK = 10

// Tables has the statistics of the n reference points that scores of events need.
type Tables struct {
	// K is the number of neighbours.
	K int
	// KDist2 and Density (n) are kdist^2 and lrd of the reference points.
	KDist2, Density []float64
	// Local and Global (n) are the reference points' leave-one-out scores,
	// ascending.
	Local, Global []float64

	// local and global find scores in Local and Global; nil if they were not made.
	local, global *finder
}

// Scores has the two scores, or their percentiles, of a sequence of points.
type Scores struct {
	Local, Global []float64
}

// New computes the tables from the neighbour lists of the reference points, which contain each
// point's nearest other points, at least k of them. It also returns the points' own leave-one-out
// percentiles, in point order. With fewer than k other points, all of them are neighbours. The
// lists must not contain distances of 0, so equal points must be merged beforehand.
func New(nb *knn.Neighbors, k, threads int) (*Tables, Scores, error) {
	k = min(k, nb.N-1)
	switch {
	case k < 1:
		return nil, Scores{}, models.BadInputf("novelty: %d neighbours among %d distinct points: at least 2 points and 1 neighbour are needed", k, nb.N)
	case nb.K < k:
		return nil, Scores{}, models.BadInputf("novelty: lists of %d neighbours, want %d", nb.K, k)
	}
	t := &Tables{K: k, KDist2: make([]float64, nb.N), Density: make([]float64, nb.N)}
	for i := range nb.N {
		_, dist2 := nb.Row(i)
		t.KDist2[i] = dist2[k-1]
		if !(dist2[0] > 0) || math.IsInf(dist2[k-1], 0) {
			return nil, Scores{}, models.BadInputf("novelty: point %d has squared distances from %g to %g to its neighbours; equal points must be one", i, dist2[0], dist2[k-1])
		}
	}
	const size = 1024
	par.Ranges(threads, nb.N, size, func(_, from, to int) {
		for i := from; i < to; i++ {
			index, dist2 := nb.Row(i)
			t.Density[i] = t.density(index[:k], dist2)
		}
	})
	own := Scores{make([]float64, nb.N), make([]float64, nb.N)}
	par.Ranges(threads, nb.N, size, func(_, from, to int) {
		for i := from; i < to; i++ {
			own.Local[i], own.Global[i] = t.Score(nb.Row(i))
		}
	})
	t.Local, t.Global = slices.Clone(own.Local), slices.Clone(own.Global)
	slices.Sort(t.Local)
	slices.Sort(t.Global)
	for i := range nb.N {
		own.Local[i], own.Global[i] = t.Percentiles(own.Local[i], own.Global[i])
	}
	return t, own, nil
}

// Of returns the tables of a snapshot, and shares its memory.
func Of(s *snapshot.Snapshot) *Tables {
	return &Tables{
		K: s.NoveltyK, KDist2: s.KDist2, Density: s.Density, Local: s.LocalScores, Global: s.GlobalScores,
		local: newFinder(s.LocalScores), global: newFinder(s.GlobalScores),
	}
}

// Others removes the reference point that equals the event from a neighbour list, so that a
// reference point gets its leave-one-out score.
func Others(index []int32, dist2 []float64) ([]int32, []float64) {
	if dist2[0] == 0 {
		return index[1:], dist2[1:]
	}
	return index, dist2
}

// Score returns the local and the global score of an event from its nearest reference points,
// nearest first; it uses the first K.
func (t *Tables) Score(index []int32, dist2 []float64) (local, global float64) {
	index = index[:t.K]
	var around float64
	for m, o := range index {
		around += t.Density[o]
		global += math.Sqrt(dist2[m])
	}
	k := float64(t.K)
	return around / k / t.density(index, dist2), global / k
}

// density returns lrd: 1 over the mean of max(kdist(o), d(x,o)).
func (t *Tables) density(index []int32, dist2 []float64) float64 {
	var reach float64
	for m, o := range index {
		reach += math.Sqrt(max(t.KDist2[o], dist2[m]))
	}
	return float64(len(index)) / reach
}

// Percentiles returns the percentiles of two scores.
func (t *Tables) Percentiles(local, global float64) (float64, float64) {
	return t.local.percentile(t.Local, local), t.global.percentile(t.Global, global)
}
