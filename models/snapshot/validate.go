package snapshot

import (
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// Validate checks that events can be placed against s: shapes agree, numbers are finite, variances
// positive, and score lists ascend. The error describes the first violation.
func (s *Snapshot) Validate() error {
	n := s.Reference.Rows
	if s.MapID != "" {
		if err := CheckMapID(s.MapID); err != nil {
			return err
		}
	}
	switch {
	case s.Kind == "":
		return fmt.Errorf("the kind of model is missing")
	case s.Version == 0 || s.Epoch == 0:
		return fmt.Errorf("version %d and epoch %d count from 1", s.Version, s.Epoch)
	case n < 2 || s.Mu.Cols < 1:
		return fmt.Errorf("%d reference points on a map of dimension %d", n, s.Mu.Cols)
	case s.Dim < 1 || s.Names != nil && len(s.Names) != s.Dim:
		return fmt.Errorf("dimension %d with %d names", s.Dim, len(s.Names))
	case s.Shift != nil && (len(s.Shift) != s.Dim || !vec.Finite(s.Shift) || len(s.Encoder) > 0):
		return fmt.Errorf("dimension %d with a shift of %d numbers, which must be finite and without an encoder", s.Dim, len(s.Shift))
	case s.IDs != nil && len(s.IDs) != s.Reference.Rows:
		return fmt.Errorf("%d ids for %d reference points", len(s.IDs), s.Reference.Rows)
	case s.Steps < 0 || !(s.Dissimilar >= 0 && s.Dissimilar < 1):
		return fmt.Errorf("%d steps of learning, %g of the weight dissimilar", s.Steps, s.Dissimilar)
	case s.Neighbors < 1 || s.NoveltyK < 1 || s.NoveltyK >= n:
		return fmt.Errorf("%d neighbours, %d for novelty, of %d reference points", s.Neighbors, s.NoveltyK, n)
	case s.Mu.Rows != n || len(s.Count) != n || len(s.Sigma2) != n || len(s.Bandwidth2) != n:
		return fmt.Errorf("%d reference points with %d means, %d counts, %d variances, %d bandwidths", n, s.Mu.Rows, len(s.Count), len(s.Sigma2), len(s.Bandwidth2))
	case s.Unlearnt != nil && len(s.Unlearnt) != n:
		return fmt.Errorf("%d reference points with %d flags of points that were not learnt", n, len(s.Unlearnt))
	case len(s.KDist2) != n || len(s.Density) != n || len(s.LocalScores) != n || len(s.GlobalScores) != n:
		return fmt.Errorf("%d reference points with novelty tables of %d, %d, %d, %d entries", n, len(s.KDist2), len(s.Density), len(s.LocalScores), len(s.GlobalScores))
	}
	if err := s.validateDistance(); err != nil {
		return err
	}
	for _, err := range []error{
		whole("reference", s.Reference), whole("components", s.Components), whole("mu", s.Mu),
		s.validateGraph(), s.validateProjection(), s.validateReference(), s.validatePoints(), s.validateNovelty(), s.Student.validate(n), s.validateParts(),
	} {
		if err != nil {
			return err
		}
	}
	for i, p := range s.Positions {
		if p.Partition < 0 || p.Partition > math.MaxInt32 || p.Offset < 0 {
			return fmt.Errorf("position %d is partition %d, offset %d", i, p.Partition, p.Offset)
		}
	}
	return nil
}

// validateDistance checks that the distance is defined for the reference points, and that the other
// fields support it.
func (s *Snapshot) validateDistance() error {
	if s.Distance == distance.Euclidean {
		return nil
	}
	switch {
	case !s.Distance.Known():
		return fmt.Errorf("there is no %v", s.Distance)
	case s.Components.Rows > 0 || s.Approximate() || s.Student == nil:
		return fmt.Errorf("a projection, an index, or Gaussian tails under the distance %v", s.Distance)
	}
	return distance.Check(s.Distance, s.Reference)
}

// validateProjection checks that Mean and Components map Dim to the reference points' dimension.
func (s *Snapshot) validateProjection() error {
	q := s.Reference.Cols
	if s.Graph != nil {
		return nil // validateGraph checks it
	}
	if s.Components.Rows == 0 {
		if len(s.Mean) != 0 || s.Dim != q {
			return fmt.Errorf("no projection, a mean of %d elements, and reference points of dimension %d for vectors of %d", len(s.Mean), q, s.Dim)
		}
		return nil
	}
	if len(s.Mean) != s.Dim || s.Components.Cols != s.Dim || s.Components.Rows != q {
		return fmt.Errorf("a projection of %d x %d with a mean of %d elements for vectors of %d and reference points of %d", s.Components.Rows, s.Components.Cols, len(s.Mean), s.Dim, q)
	}
	if err := finite("mean", s.Mean); err != nil {
		return err
	}
	return finite("components", s.Components.Data)
}

// validateReference checks the reference points and that the index matches them.
func (s *Snapshot) validateReference() error {
	x := s.Reference
	if !(s.CellRecall >= 0 && s.CellRecall < 1) {
		return fmt.Errorf("the recall of the cells is %v, want less than 1", s.CellRecall)
	}
	if s.Index != nil && s.Index.Len() != x.Rows {
		return fmt.Errorf("the index holds %d points, there are %d reference points", s.Index.Len(), x.Rows)
	}
	return s.eachPart(func(first int, part vec.Matrix[float32]) error {
		if err := finiteFrom("reference", part.Data, first*x.Cols); err != nil {
			return err
		}
		if s.Index != nil && !s.Index.Holds(part, first) {
			return fmt.Errorf("the index does not hold exactly the %d reference points", x.Rows)
		}
		return nil
	})
}

// validatePoints checks the numbers of the reference points.
func (s *Snapshot) validatePoints() error {
	for i, c := range s.Count {
		if c == 0 {
			return fmt.Errorf("reference point %d has no events", i)
		}
	}
	for _, err := range []error{
		finite("mu", s.Mu.Data),
		finite("sigma2", s.Sigma2), finite("bandwidth2", s.Bandwidth2),
		positive("sigma2", s.Sigma2), positive("bandwidth2", s.Bandwidth2),
		// Places are published as float32.
		finite("mu in single precision", vec.Convert[float32](s.Mu).Data),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// validateNovelty checks the tables of package novelty.
func (s *Snapshot) validateNovelty() error {
	for _, err := range []error{
		finite("novelty.kdist2", s.KDist2), finite("novelty.density", s.Density),
		finite("novelty.local", s.LocalScores), finite("novelty.global", s.GlobalScores),
		positive("novelty.kdist2", s.KDist2), positive("novelty.density", s.Density),
	} {
		if err != nil {
			return err
		}
	}
	if !slices.IsSorted(s.LocalScores) || !slices.IsSorted(s.GlobalScores) {
		return fmt.Errorf("the novelty scores are not in ascending order")
	}
	return nil
}

// Largest bounds the absolute value of every double-precision number in a model file, and Least is
// the lower bound of those that must be positive. Squares of single-precision numbers are far
// within these bounds. Products of two such sums do not overflow, so a file cannot lead to places
// that are not finite.
const (
	Largest = 1e120
	Least   = 1e-120
)

// whole checks that a matrix has as many values as its shape requires.
func whole[T vec.Float](name string, m vec.Matrix[T]) error {
	if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols {
		return fmt.Errorf("%s: %d values for %d x %d", name, len(m.Data), m.Rows, m.Cols)
	}
	return nil
}

// finite checks that all values are finite and at most Largest.
func finite[T vec.Float](name string, values []T) error { return finiteFrom(name, values, 0) }

// finiteFrom is finite for values whose indices start at first.
func finiteFrom[T vec.Float](name string, values []T, first int) error {
	for i, v := range values {
		if err := sound(name, first+i, float64(v)); err != nil {
			return err
		}
	}
	return nil
}

// finiteBut is finite for values that may also equal one number outside its range.
func finiteBut(name string, values []float64, one float64) error {
	for i, v := range values {
		if err := sound(name, i, v); err != nil && v != one {
			return err
		}
	}
	return nil
}

// sound checks value i of the named field.
func sound(name string, i int, v float64) error {
	if v-v != 0 {
		return fmt.Errorf("%s: value %d is %g", name, i, v)
	}
	if v > Largest || v < -Largest {
		return fmt.Errorf("%s: value %d is %g, want at most %g", name, i, v, Largest)
	}
	return nil
}

// positive checks that all values are at least Least.
func positive(name string, values []float64) error {
	for i, v := range values {
		if !(v >= Least) {
			return fmt.Errorf("%s: value %d is %g, want more than 0", name, i, v)
		}
	}
	return nil
}

// CheckDim returns a *models.DimensionError unless vectors have dim elements.
func (s *Snapshot) CheckDim(dim int) error {
	if dim != s.Dim {
		return &models.DimensionError{Got: dim, Want: s.Dim}
	}
	return nil
}
