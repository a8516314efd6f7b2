package student

import (
	"unfold/models"
	"unfold/models/points"
	"unfold/models/score"
)

// DefaultSupervision is the default of s (H24) if labels are used for learning.
// docs/decisions/supervision.md explains the choice.
const DefaultSupervision = 0.9

// edgeWeights are the weights of the near edges of points, by rank and, with supervision, by
// labels.
type edgeWeights struct {
	rank []float64
	// class are the classes of the points, score.Missing if unknown. It is nil without supervision.
	class []int32
	// supervision is s of H24.
	supervision float64
}

// edge returns the weight of the edge from point i to the m-th of its neighbours, nearest first.
// The model draws one of the k neighbours as the partner of i, the m-th with a probability that
// falls as m^-p. A partner with another label is less probable by the factor 1 - s. Given the
// labels,
//
//	S_ij = k P(j | labels) = k m^-p b_ij / sum_{l=1..k} l^-p b_il,                  (H24)
//	b_ij = 1 - s if the labels of i and j are known and differ, else 1.
//
// The weights are 1 on average, as without labels. If all neighbours have other labels, the weights
// are those without labels, also in the limit s = 1.
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

// differ reports whether the labels of i and j are known and differ. The label of i must be known.
func (w edgeWeights) differ(i, j int32) bool {
	return w.class[j] != score.Missing && w.class[j] != w.class[i]
}

// nearWeights returns the weights of near edges for points of k neighbours.
func (s Settings) nearWeights(k int) edgeWeights {
	w := edgeWeights{rank: nearWeights(k, s.RankDecay), supervision: s.Supervision}
	if s.Supervision > 0 && s.Labels != nil {
		w.class, _ = score.Classes(s.Labels)
	}
	return w
}

// pointLabels returns the labels of the distinct points of n rows, or nil without supervision.
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
