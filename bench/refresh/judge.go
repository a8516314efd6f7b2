package main

import (
	"context"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/score"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// quality is how good a map is.
type quality struct {
	NN1, NN9, Trust float64
	Loglik          float64 // per point, by the constants of the fresh fit
	Recall          float64 // 9-NN recall of the late class
	Others          float64 // 9-NN accuracy of the others
	Pieces          int     // that hold at least 2% of the late class
}

// fresh is a fit of the members of a live map.
type fresh struct {
	quality
	CPU   float64 // seconds
	model *student.Learner
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
	nb := r.Neighbors
	if theirs.model, err = student.NewLearner(nb, r.Settings.ForStudent(), 0); err != nil {
		return mine, nil, err
	}
	if theirs.quality, err = f.judge(ctx, x, vec.Take(r.Mu, r.Of), r, theirs.model); err != nil {
		return mine, nil, err
	}
	mu, err := f.places()
	if err != nil {
		return mine, nil, err
	}
	mine, err = f.judge(ctx, x, mu, r, theirs.model)
	f.say("1-NN %.4f, 9-NN %.4f, trustworthiness %.4f, L a point %.3f, recall %.4f in %d pieces; above the fresh fit by %+.4f %+.4f %+.4f %+.3f",
		mine.NN1, mine.NN9, mine.Trust, mine.Loglik, mine.Recall, mine.Pieces,
		mine.NN1-theirs.NN1, mine.NN9-theirs.NN9, mine.Trust-theirs.Trust, mine.Loglik-theirs.Loglik)
	return mine, theirs, err
}

// judge is how good places mu of the members are.
func (f *follower) judge(ctx context.Context, x vec.Matrix[float32], mu vec.Matrix[float64], r *lvm.Result, h *student.Learner) (q quality, err error) {
	y, class := vec.Convert[float32](mu), f.d.labels(f.rows)
	a, err := score.LeaveOneOut(ctx, y, class, []int{1, 9}, score.Settings{})
	if err != nil {
		return q, err
	}
	q.NN1, q.NN9 = a.Share[0], a.Share[1]
	s, err := score.Measure(ctx, x, y, score.Settings{K: 10, Seed: 1})
	if err != nil {
		return q, err
	}
	q.Trust = s.Trustworthiness
	st := &student.State{Mu: vec.Take(mu, r.Unique), Sigma2: r.Sigma2}
	q.Loglik = h.Model.LogLikelihood(st) / float64(st.Mu.Rows)
	nb, err := knn.Graph(ctx, y, 10, knn.Settings{})
	if err != nil {
		return q, err
	}
	q.classes(nb, class, f.d.late)
	return q, nil
}

// classes fills in how the late class and the others fare, by the 10 nearest on
// the map. Points of the class belong to one piece if one is among the 10 nearest
// of the other.
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
