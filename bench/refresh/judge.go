package main

import (
	"context"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/saul"
	"unfold/models/score"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// quality is the quality of a map.
type quality struct {
	NN1, NN9, Trust float64
	Loglik          float64 // per point: see likelihood
	Recall          float64 // 9-NN recall of the late class
	Others          float64 // 9-NN accuracy of the others
	Pieces          int     // number of pieces with at least 2% of the late class
}

// fresh is a fit of a live map's members.
type fresh struct {
	quality
	CPU float64 // seconds
}

// likelihood returns L of places and variances of the distinct points.
type likelihood func(mu vec.Matrix[float64], sigma2 []float64) (float64, error)

// likelihoodOf returns the likelihood for the members of a live map. With heavy tails its constants
// are those of the fresh fit, which depend only on the points. With Gaussian tails the landmarks
// are part of the constants, and favour the map that was learnt with them. So it uses landmarks of
// neither map.
func likelihoodOf(ctx context.Context, x vec.Matrix[float32], r *lvm.Result) (likelihood, error) {
	if r.Settings.Tails == lvm.Gaussian {
		set := r.Settings.ForSaul()
		set.Seed, set.Steps = set.Seed+1, -1
		return func(mu vec.Matrix[float64], sigma2 []float64) (float64, error) {
			out, err := saul.Continue(ctx, vec.Take(x, r.Unique), r.Neighbors, saul.Warm{State: &saul.State{Mu: mu, Sigma2: sigma2}}, set)
			if err != nil {
				return 0, err
			}
			return out.Report.LoglikInitial, nil
		}, nil
	}
	h, err := student.NewLearner(x, r.Neighbors, r.Settings.ForStudent(), 0)
	if err != nil {
		return nil, err
	}
	return func(mu vec.Matrix[float64], _ []float64) (float64, error) {
		return h.Model.LogLikelihood(&student.State{Mu: mu, Sigma2: r.Sigma2}), nil
	}, nil
}

// compare judges the present map and a fresh fit of the same points.
func (f *follower) compare(ctx context.Context, set live.Settings) (mine quality, theirs *fresh, err error) {
	x := vec.Take(f.d.x, f.rows)
	begin := harness.CPUSeconds()
	r, err := lvm.Fit(ctx, x, set.LVM, nil)
	if err != nil {
		return mine, nil, err
	}
	theirs = &fresh{CPU: harness.CPUSeconds() - begin}
	l, err := likelihoodOf(ctx, x, r)
	if err != nil {
		return mine, nil, err
	}
	if theirs.quality, err = f.judge(ctx, x, vec.Take(r.Mu, r.Of), r.Sigma2, r, l); err != nil {
		return mine, nil, err
	}
	mu, sigma2, err := f.state()
	if err != nil {
		return mine, nil, err
	}
	of := make([]float64, len(r.Unique))
	for i, member := range r.Unique {
		of[i] = sigma2[member]
	}
	mine, err = f.judge(ctx, x, mu, of, r, l)
	f.say("1-NN %.4f, 9-NN %.4f, trustworthiness %.4f, L a point %.3f, recall %.4f in %d pieces; above the fresh fit by %+.4f %+.4f %+.4f %+.3f",
		mine.NN1, mine.NN9, mine.Trust, mine.Loglik, mine.Recall, mine.Pieces,
		mine.NN1-theirs.NN1, mine.NN9-theirs.NN9, mine.Trust-theirs.Trust, mine.Loglik-theirs.Loglik)
	return mine, theirs, err
}

// judge returns the quality of places mu of the members, with variances of the distinct ones.
func (f *follower) judge(ctx context.Context, x vec.Matrix[float32], mu vec.Matrix[float64], sigma2 []float64, r *lvm.Result, l likelihood) (q quality, err error) {
	y, class := vec.Convert[float32](mu), f.d.labels(f.rows)
	a, err := score.LeaveOneOut(ctx, y, class, []int{1, 9}, score.Settings{})
	if err != nil {
		return q, err
	}
	q.NN1, q.NN9 = a.Share[0], a.Share[1]
	s, err := score.Neighborhoods(ctx, x, y, score.Settings{K: 10, Seed: 1})
	if err != nil {
		return q, err
	}
	q.Trust = s.Trustworthiness
	if q.Loglik, err = l(vec.Take(mu, r.Unique), sigma2); err != nil {
		return q, err
	}
	q.Loglik /= float64(len(r.Unique))
	nb, err := knn.Graph(ctx, y, 10, knn.Settings{})
	if err != nil {
		return q, err
	}
	q.classes(nb, class, f.d.late)
	return q, nil
}

// classes computes the figures of the late class and of the others, from the 10 nearest on the map.
// Two points of the class belong to one piece if one is among the 10 nearest of the other.
func (q *quality) classes(nb *knn.Neighbors, class []int32, late int32) {
	const votes = 9
	count, right := [2]int{}, [2]int{} // of the others, of the late class
	same := knn.NewNeighbors(nb.N, nb.K)
	for i := range nb.N {
		near, _ := nb.Row(i)
		index, _ := same.Row(i)
		tally := map[int32]int{}
		best := class[near[0]]
		for m, j := range near {
			index[m] = int32(i)
			if class[i] == late && class[j] == late {
				index[m] = j
			}
			if m >= votes {
				continue
			}
			if tally[class[j]]++; tally[class[j]] > tally[best] {
				best = class[j]
			}
		}
		which := 0
		if class[i] == late {
			which = 1
		}
		count[which]++
		if best == class[i] {
			right[which]++
		}
	}
	q.Others = float64(right[0]) / float64(max(count[0], 1))
	q.Recall = float64(right[1]) / float64(max(count[1], 1))
	label, size := graph.Label(same)
	seen := map[int32]bool{}
	for i, l := range label {
		if class[i] == late && !seen[l] && 50*size[l] >= count[1] {
			seen[l] = true
			q.Pieces++
		}
	}
}
