package distance

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/internal/vec"
)

// Distance is a distance between rows. The zero value is Euclidean.
type Distance uint8

// These are the distances; the package comment has their formulas.
const (
	Euclidean Distance = iota
	Manhattan
	Chebyshev
	Jaccard
)

var names = []string{Euclidean: "euclidean", Manhattan: "manhattan", Chebyshev: "chebyshev", Jaccard: "jaccard"}

// String returns the name of the distance on the command line and in files.
func (d Distance) String() string {
	if int(d) >= len(names) {
		return fmt.Sprintf("distance %d", int(d))
	}
	return names[d]
}

// Names lists the distances' names, Euclidean first.
func Names() []string { return slices.Clone(names) }

// Parse returns the distance of that name.
func Parse(name string) (Distance, error) {
	if i := slices.Index(names, name); i >= 0 {
		return Distance(i), nil
	}
	return Euclidean, fmt.Errorf("distance %q: there is only %s", name, strings.Join(names, ", "))
}

// Length returns the distance for d2, the value that neighbour lists store.
func (d Distance) Length(d2 float64) float64 {
	if d == Manhattan || d == Jaccard {
		return d2
	}
	return math.Sqrt(d2)
}

// Bits reports whether the distance is only defined for binary rows.
func (d Distance) Bits() bool { return d == Jaccard }

// BitError reports a value of a row that is neither 0 nor 1.
type BitError struct {
	Distance Distance
	Row, Col int
	Value    float64
}

func (e *BitError) Error() string {
	return fmt.Sprintf("row %d, column %d is %v: the distance %v is one of rows of 0 and 1", e.Row, e.Col, e.Value, e.Distance)
}

// Check returns a *BitError for the first value of x that the distance is not defined for.
func Check[T vec.Float](d Distance, x vec.Matrix[T]) error {
	if !d.Bits() {
		return nil
	}
	for p, v := range x.Data {
		if v != 0 && v != 1 {
			return &BitError{Distance: d, Row: p / x.Cols, Col: p % x.Cols, Value: float64(v)}
		}
	}
	return nil
}
