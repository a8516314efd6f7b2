package live

import (
	"math"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/models/student"
)

// The natural size of a map of n points with the push w = c (n-1) is about n^sizePoints w^sizePush.
// The exponents were measured on fits of 1,000 to 20,000 points of five sets
// (docs/decisions/refresh.md).
const (
	sizePoints = 0.12
	sizePush   = 0.3
)

// unitPull is the share, in the logarithm, by which a major moves the unit back to the natural
// size. Without it the unit would drift, because points that stay spread out a little in most
// majors.
const unitPull = 0.2

// mostPull bounds the pull of one major, in the logarithm. The exponents above depend on the data, so
// a young map may be far from its natural size. The whole pull would then move most points that
// stay by more than learning does.
const mostPull = 0.01

// sizeOf returns the natural size of a map, up to a factor that depends on the data.
func sizeOf(n int, push float64) float64 {
	return math.Pow(float64(n), sizePoints) * math.Pow(push, sizePush)
}

// Unit returns the published unit g of a map: a published place is g times the place in the model's
// own unit, in which [student.Model.LogLikelihood] is defined. It is 1 for maps with Gaussian
// tails.
//
// A map with heavy tails can be scaled freely. If every length (places, sigma, the root of delta^2)
// is multiplied by g, it is the same model, with the same likelihood and the same relative places
// of events. Published lengths are those of the model times g, so that the diameter stays constant
// while the set grows. g follows from the snapshot's bounds of delta^2, whose geometric mean is 1
// in the model's own unit.
func Unit(s *snapshot.Snapshot) float64 {
	if s.Student == nil || s.Student.Clip[1] == math.MaxFloat64 { // Unclipped scales have no bounds
		return 1
	}
	return math.Sqrt(math.Sqrt(s.Student.Clip[0] * s.Student.Clip[1]))
}

// push returns w = c (n-1) of a map with heavy tails. sum D / sum S is w/k.
func push(s *snapshot.Snapshot) float64 {
	return s.Student.Weight * float64(max(s.Reference.Rows-1, 1))
}

// unit returns the unit of squared distances of the first fit, in the model's own unit of lengths.
func (m *Map) unit() float64 {
	g := Unit(m.snap)
	return m.snap.Student.Unit * g * g
}

// weight returns c of a refresh that is not major, of n points of the intrinsic dimension dim. The push
// w, and with it the size of the map, stays as in the last major refresh. If the set shrinks, c rises
// at most to that of a fit, because maps get worse with more (docs/decisions/refresh.md).
func (m *Map) weight(n int, dim float64) float64 {
	of := m.set.LVM.Student.Weight
	if of == 0 {
		of = student.Weight(n, float64(n)*float64(m.set.neighbors()), dim)
	}
	return min(push(m.snap)/float64(max(n-1, 1)), max(m.snap.Student.Weight, of))
}

// natural returns the state in the model's own unit.
func (m *Map) natural(st *student.State) *student.State {
	out, g := st.Clone(), Unit(m.snap)
	if g != 1 {
		vec.Scale(1/g, out.Mu.Data)
		vec.Scale(1/(g*g), out.Sigma2)
	}
	return out
}

// publish converts a learnt map to the published unit. stayed are the places of points that stay,
// from their places before. A major may change the natural size of the map. The unit compensates
// for it, mostly such that the points that stay keep their spread. Between majors only the push may
// have fallen.
func (m *Map) publish(r *lvm.Result, kind Kind, from, stayed vec.Matrix[float64]) {
	g, now := Unit(m.snap), r.Student.Weight*float64(max(r.Mu.Rows-1, 1))
	switch known := m.extent / sizeOf(r.Mu.Rows, now); {
	case m.set.begins(kind):
		g = known
	case kind == Major:
		g = known
		if was, is := spread(from), spread(stayed); was > 0 && is > 0 {
			stay := was / is
			g = stay * math.Exp(max(-mostPull, min(mostPull, unitPull*math.Log(known/stay))))
		}
	case now < (1-1e-9)*push(m.snap):
		g *= math.Pow(push(m.snap)/now, sizePush)
	}
	g2, st := g*g, r.Student
	vec.Scale(g, r.Mu.Data)
	vec.Scale(g2, r.Sigma2)
	vec.Scale(g2, st.Error2)
	st.Unit /= g2
	st.Clip = [2]float64{g2 * st.Clip[0], g2 * st.Clip[1]}
}

// spread returns the root of the mean squared distance of places from their mean.
func spread(mu vec.Matrix[float64]) float64 {
	if mu.Rows < 3 {
		return 0
	}
	mean, sum := columnMeans(mu), 0.0
	for i := range mu.Rows {
		sum += vec.SquaredDistance(mu.Row(i), mean)
	}
	return math.Sqrt(sum / float64(mu.Rows))
}
