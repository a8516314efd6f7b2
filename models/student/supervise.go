package student

import (
	"unfold/models"
	"unfold/models/points"
	"unfold/models/score"
)

// DefaultSupervision is s of H24 where labels are to take part in learning and it is not said
// how much. docs/decisions/supervision.md has what it was chosen by.
const DefaultSupervision = 0.9

// edgeWeights are those of the near edges of points: by rank, and where labels take part in
// learning by these, too.
type edgeWeights struct {
	rank []float64
	// class are the classes of the points, score.Missing where it is not known; nil: labels take no part.
	class []int32
	// supervision is s of H24.
	supervision float64
}

// edge returns the weight of the edge from point i to the m-th of its neighbours, nearest first.
// One of the k neighbours is taken for the partner of i, the m-th with a probability that falls
// as m^-p, whose label is unlike that of i with a probability 1 - s of that of a like one. Given
// the labels,
//
//	S_ij = k P(j | labels) = k m^-p b_ij / sum_{l=1..k} l^-p b_il,                  (H24)
//	b_ij = 1 - s if the labels of i and j are known and differ, else 1.
//
// They are 1 on average, as without labels. If all neighbours are unlike i, labels say nothing about
// which of them is its partner: that is the limit for s = 1, too.
func (w edgeWeights) edge(i int32, to []int32, m int) float64 {
	if w.class == nil || w.class[i] == score.Missing {
		return w.rank[m]
	}
	var like, unlike float64
	for l, j := range to {
		if w.differ(i, j) {
			unlike += w.rank[l]
		} else {
			like += w.rank[l]
		}
	}
	if like == 0 || unlike == 0 {
		return w.rank[m]
	}
	less := 1 - w.supervision
	weight := w.rank[m] * (like + unlike) / (like + less*unlike)
	if w.differ(i, to[m]) {
		weight *= less
	}
	return weight
}

// differ says that the labels of two points, of which that of i is known, are unlike.
func (w edgeWeights) differ(i, j int32) bool {
	return w.class[j] != score.Missing && w.class[j] != w.class[i]
}

// nearWeights are the weights of near edges of points of so many neighbours.
func (s Settings) nearWeights(k int) edgeWeights {
	w := edgeWeights{rank: nearWeights(k, s.RankDecay), supervision: s.Supervision}
	if s.Supervision > 0 && s.Labels != nil {
		w.class, _ = score.Classes(s.Labels)
	}
	return w
}

// pointLabels are the labels of the points that n rows have become, nil without supervision.
func (s Settings) pointLabels(o *models.Result, n int) ([]string, error) {
	switch {
	case s.Supervision == 0:
		return nil, nil
	case s.Labels == nil:
		return nil, models.BadInputf(points.Kind+": supervision is %v, and no row has a label", s.Supervision)
	case len(s.Labels) != n:
		return nil, models.BadInputf(points.Kind+": %d labels for %d rows", len(s.Labels), n)
	}
	return points.Labels(s.Labels, o.Of, len(o.Unique)), nil
}
