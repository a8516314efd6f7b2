package reasons

import (
	"context"
	"errors"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/novelty"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Explainer divides the novelty of events on one snapshot among the elements of their vectors.
type Explainer struct {
	snap    *snapshot.Snapshot
	project *projection.Projection
	back    *projection.Back
	tables  *novelty.Tables
	threads int
}

// New returns an Explainer for s, which must be valid and is kept without a copy. Threads bounds
// the goroutines of one call; 0 means GOMAXPROCS.
func New(s *snapshot.Snapshot, threads int) *Explainer {
	p := projection.Of(s)
	return &Explainer{snap: s, project: p, back: p.Back(), tables: novelty.Of(s), threads: threads}
}

// Exact reports whether Split.Seen returns the neighbours' vectors exactly, to the bit.
func (e *Explainer) Exact() bool { return e.project.Identity() }

// size is the number of events that are processed together.
const size = 32

// Each computes the splits of the given rows of x (n x Dim) and calls visit with each, concurrently
// and in any order. at is the index of the row in rows. The split is valid until visit returns.
// near has the neighbour lists of all rows of x from placing (models.Placed). A row with a value
// that is not finite returns a *models.RowError.
func (e *Explainer) Each(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, rows []int, visit func(at int, s *Split)) error {
	if err := e.snap.CheckDim(x.Cols); err != nil {
		return err
	}
	if near == nil || near.N != x.Rows || near.K < min(e.tables.K+1, e.snap.Reference.Rows) {
		return errors.New("reasons: the lists of neighbours are not those of the rows")
	}
	for _, i := range rows {
		if err := models.CheckRows(x.Slice(i, i+1), e.snap.Names); err != nil {
			var at *models.RowError
			if errors.As(err, &at) {
				at.Row = i
			}
			return err
		}
	}
	par.Ranges(e.threads, len(rows), size, func(_, from, to int) {
		if ctx.Err() == nil {
			e.piece(x, near, rows, from, to, visit)
		}
	})
	return ctx.Err()
}

// piece splits the scores of rows[from:to].
func (e *Explainer) piece(x vec.Matrix[float32], near *knn.Neighbors, rows []int, from, to int, visit func(at int, s *Split)) {
	s := &Split{of: e, Amount: make([]float64, x.Cols), k: e.tables.K}
	if e.snap.Distance != distance.Euclidean {
		s.share = make([]float64, x.Cols)
	}
	var all *lifted
	if !e.project.Identity() {
		all = e.lift(x, near, rows[from:to])
		s.hat, s.rest = make([]float64, x.Cols), make([]float64, x.Cols)
	}
	for at := from; at < to; at++ {
		i := rows[at]
		s.x = x.Row(i)
		s.Index, s.Dist2 = e.neighbors(near, i)
		if s.hat != nil {
			first := (at - from) * (s.k + 1)
			s.differ = lifted{all.rows.Slice(first, first+s.k), all.unit[first:]}
			for c, v := range all.rows.Row(first + s.k) {
				s.hat[c] = float64(e.snap.Mean[c]) + all.unit[first+s.k]*float64(v)
				s.rest[c] = float64(s.x[c]) - s.hat[c]
			}
		}
		s.fill(e.tables)
		visit(at, s)
	}
}

// neighbors returns the K reference points that the score of row i uses.
func (e *Explainer) neighbors(near *knn.Neighbors, i int) ([]int32, []float64) {
	index, dist2 := novelty.Others(near.Row(i))
	return index[:e.tables.K], dist2[:e.tables.K]
}

// lifted are rows in single precision, each in its own unit, a power of two, so that extreme values
// do not overflow or underflow.
type lifted struct {
	rows vec.Matrix[float32]
	unit []float64
}

// lift returns, for each of the given rows, h_j of its K neighbours and then P'z.
func (e *Explainer) lift(x vec.Matrix[float32], near *knn.Neighbors, rows []int) *lifted {
	z := e.project.Apply(vec.Take(x, rows), 1)
	k := e.tables.K
	g := vec.New[float32](len(rows)*(k+1), z.Cols)
	out := &lifted{unit: make([]float64, g.Rows)}
	none, diff := make([]float32, z.Cols), make([]float64, z.Cols)
	for r, i := range rows {
		index, _ := e.neighbors(near, i)
		for j := range k + 1 {
			from := none
			if j < k {
				from = e.snap.Reference.Row(int(index[j]))
			}
			out.unit[r*(k+1)+j] = inUnit(g.Row(r*(k+1)+j), diff, z.Row(r), from)
		}
	}
	out.rows = e.back.Apply(g, 1)
	return out
}

// inUnit sets to to a - b in the unit that it returns; diff is a workspace.
func inUnit(to []float32, diff []float64, a, b []float32) float64 {
	most := 0.0
	for c, v := range a {
		diff[c] = float64(v) - float64(b[c])
		most = max(most, math.Abs(diff[c]))
	}
	_, exponent := math.Frexp(most)
	inverse := math.Ldexp(1, -exponent)
	for c, v := range diff {
		to[c] = float32(v * inverse)
	}
	return math.Ldexp(1, exponent)
}

// Split is the division of one event's scores among the elements of its vector.
type Split struct {
	// Index and Dist2 are the K nearest reference points that the scores use, nearest first, and
	// their squared distances in the model's input space (or the corresponding value of another
	// distance).
	Index []int32
	Dist2 []float64
	// Global and Local are the raw scores, not their percentiles.
	Global, Local float64
	// Amount (Dim) is the contribution of each element to Global, in units of distance (R3). Its
	// contribution to Local is Around times as large.
	Amount []float64
	// Around and Gap are those of R5; the product Around * Gap is the part of Local that belongs to
	// no element.
	Around, Gap float64

	of *Explainer
	k  int
	x  []float32
	// share is a buffer for the w_je of a neighbour; nil under the Euclidean distance.
	share []float64
	// hat is x^, rest is x - x^, and the rows of differ are h_j; all are nil without a projection.
	hat, rest []float64
	differ    lifted
}

// fill splits the scores.
func (s *Split) fill(t *novelty.Tables) {
	s.Local, s.Global = t.Score(s.Index, s.Dist2)
	s.Around, s.Gap = 0, 0
	clear(s.Amount)
	for j, o := range s.Index {
		d := math.Sqrt(s.Dist2[j])
		s.Around += t.Density[o] / float64(s.k)
		s.Gap += max(math.Sqrt(t.KDist2[o])-d, 0) / float64(s.k)
		switch kind := s.of.snap.Distance; {
		case s.hat != nil:
			s.through(s.differ.rows.Row(j), s.differ.unit[j], d/float64(s.k))
		case kind != distance.Euclidean:
			s.by(kind, s.of.snap.Reference.Row(int(o)), d/float64(s.k))
		default:
			s.plain(s.of.snap.Reference.Row(int(o)), d/float64(s.k))
		}
	}
}

// plain adds the term R3 of a neighbour without a projection.
func (s *Split) plain(o []float32, d float64) {
	var sum float64
	for e, v := range s.x {
		diff := float64(v) - float64(o[e])
		sum += diff * diff
	}
	if sum == 0 {
		return
	}
	scale := d / sum
	for e, v := range s.x {
		diff := float64(v) - float64(o[e])
		s.Amount[e] += scale * diff * diff
	}
}

// by adds the term R3 of a neighbour under another distance than the Euclidean.
func (s *Split) by(kind distance.Distance, o []float32, d float64) {
	distance.Shares(kind, s.share, s.x, o)
	var sum float64
	for _, w := range s.share {
		sum += w
	}
	if sum == 0 {
		return
	}
	for e, w := range s.share {
		s.Amount[e] += d / sum * w
	}
}

// through adds the term R3 of a neighbour with a projection, where x - x^_j = (x - x^) + h. Because
// of rounding, x - x^ has a part along h, which is subtracted. h is in the given unit.
func (s *Split) through(h []float32, unit, d float64) {
	var sum, along float64
	for e, v := range h {
		v := unit * float64(v)
		sum += v * v
		along += s.rest[e] * v
	}
	if sum == 0 {
		return
	}
	scale, keep := d/sum, 1-along/sum
	for e, v := range h {
		v := unit * float64(v)
		s.Amount[e] += scale * v * (v*keep + s.rest[e])
	}
}

// Distance returns the distance between the event and neighbour j.
func (s *Split) Distance(j int) float64 { return s.of.snap.Distance.Length(s.Dist2[j]) }

// Own returns element e of the event's vector.
func (s *Split) Own(e int) float64 { return float64(s.x[e]) }

// Seen returns element e of the vector of neighbour j, as stored in the model file: exact without a
// projection, otherwise x^_je.
func (s *Split) Seen(j, e int) float64 {
	if s.hat == nil {
		return float64(s.of.snap.Reference.Row(int(s.Index[j]))[e])
	}
	return s.hat[e] - s.differ.unit[j]*float64(s.differ.rows.Row(j)[e])
}
