package distance

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/internal/simd/dist"
	"unfold/internal/vec"
)

// Distance is a distance between rows. The zero value is Euclidean. The lowest byte is the index of
// its entry; the others are the power of a Minkowski distance in thousandths.
type Distance uint32

// These are the distances; the package comment has their formulas.
const (
	Euclidean Distance = iota
	Manhattan
	Chebyshev
	Jaccard
	Canberra
	BrayCurtis
	Dice
	RogersTanimoto
	SokalSneath
	minkowski // without its power; see Minkowski
)

// entry is the definition of a distance.
type entry struct {
	name string
	// about completes the sentence "rows are near if".
	about string
	// term returns the contribution of a column to d2. For a distance that is not the sum of its
	// terms, split converts them to contributions.
	term  func(a, b float64) float64
	split func(terms []float64, d2 float64)
	// single and double return d2 of two rows if it is at most most, otherwise a number above most.
	// If they are nil, d2 is the sum of the terms.
	single func(a, b []float32, most float64) float64
	double func(a, b []float64, most float64) float64
	// length returns the distance for d2. It is nil if d2 is the distance.
	length func(d2 float64) float64
	// power is set for a distance with a power, whose functions are in power.go. It needs no other
	// field than term.
	power bool
	// bound returns a lower bound of d2 from the differences between a row and a box. sum is their
	// sum or, if squares is set, that of their squares; largest is the largest. bound is nil if
	// boxes do not bound the distance.
	squares bool
	bound   func(sum, largest float64) float64
	// absolute is set if the distance changes when the same vector is added to both rows.
	absolute bool
	// domain is nil if the distance is defined for all values.
	domain *Domain
	// counts is set for distances of rows of 0 and 1 (their domain), which are searched as bits. It
	// replaces single and double.
	counts *Counts
	// kernel is nil if there is no approximation in single precision.
	kernel *Kernel
}

// table has the entries of all distances. A new distance is a constant above and an entry here.
var table = []entry{
	Euclidean: {
		name: "euclidean", about: "values are alike", single: euclidean[float32], double: euclidean[float64], length: math.Sqrt, squares: true, bound: bySum,
		term: func(a, b float64) float64 { return (a - b) * (a - b) },
	},
	Manhattan: {
		name: "manhattan", about: "the sum of differences is small", single: manhattan[float32], double: manhattan[float64], bound: bySum,
		term:   difference,
		kernel: &Kernel{dist.Manhattan, dist.ManhattanBeyond},
	},
	Chebyshev: {
		name: "chebyshev", about: "no difference is large", single: chebyshev[float32], double: chebyshev[float64], length: math.Sqrt,
		bound: func(_, largest float64) float64 { return largest * largest },
		term:  difference, split: largestShares,
		kernel: &Kernel{dist.Chebyshev, func(most float64, _ int) float64 { return dist.ChebyshevBeyond(math.Sqrt(most)) }},
	},
	Jaccard: ofBits("jaccard", "few of the columns with a 1 differ", jaccard, mostByJaccard),
	Canberra: {
		name: "canberra", about: "the sum of differences, each as a share of its two values, is small", single: canberra[float32], double: canberra[float64],
		term: relative, absolute: true,
		kernel: &Kernel{dist.Canberra, dist.CanberraBeyond},
	},
	BrayCurtis: {
		name: "braycurtis", about: "the sum of differences is a small share of the sum of values", single: brayCurtis[float32], double: brayCurtis[float64],
		term: difference, split: inProportion,
		absolute: true, domain: notNegative,
		kernel: &Kernel{aboutBrayCurtis, brayCurtisBeyond},
	},
	Dice:           ofBits("dice", "columns that differ are few beside the ones of both rows", dice, mostByDice),
	RogersTanimoto: ofBits("rogerstanimoto", "columns that differ are few beside twice those that agree", rogersTanimoto, mostByRogersTanimoto),
	SokalSneath:    ofBits("sokalsneath", "columns that differ are few beside the ones that both rows have", sokalSneath, mostBySokalSneath),
	minkowski: {
		name: "minkowski", about: "the sum of the P-th powers of differences is small",
		term: difference, power: true,
	},
}

// Domain is the set of values that a distance is defined for.
type Domain struct {
	// Words name the required values in errors, as in "the distance takes values of 0 and 1".
	Words string
	Has   func(v float64) bool
	// of maps any number to one of the values.
	of func(v float64) float64
}

// Domains of distances: the values of rows of bits, and those of counts and amounts.
var (
	ZerosAndOnes = &Domain{"0 and 1", func(v float64) bool { return v == 0 || v == 1 }, func(v float64) float64 {
		if v > 0 {
			return 1
		}
		return 0
	}}
	notNegative = &Domain{"values of 0 and more", func(v float64) bool { return v >= 0 }, math.Abs}
)

// Counts computes a distance of rows of 0 and 1 from the number of columns in which they differ and
// their numbers of ones.
type Counts struct {
	// Dist2 returns d2 of rows of n columns.
	Dist2 func(differ, onesA, onesB, n int) float64
	// Most returns an upper bound of the number of differing columns of rows whose d2 is at most t.
	Most func(t float64, onesA, onesB, n int) int
}

// Kernel approximates a distance in single precision.
type Kernel struct {
	// About writes to out[i] the distance between q and row rows[i] of data.
	About func(out, q, data []float32, stride int, rows []int32)
	// Beyond returns a threshold: if a result of About for rows of n columns exceeds it, d2 exceeds
	// most, which is not negative.
	Beyond func(most float64, n int) float64
}

// All lists the distances, Euclidean first. Of Minkowski's it has the powers 1.5 and 3.
func All() (all []Distance) {
	for d := range table {
		if !table[d].power {
			all = append(all, Distance(d))
		}
	}
	return append(all, withPower(1500), withPower(3000))
}

// entry returns the entry of a known distance.
func (d Distance) entry() *entry { return &table[d.index()] }

func (d Distance) index() int { return int(d & 0xff) }

// Known reports whether the distance exists. The methods below panic for others.
func (d Distance) Known() bool {
	return d.index() < len(table) && (d.thousandths() > thousand) == d.entry().power
}

// String returns the name of the distance on the command line and in files.
func (d Distance) String() string {
	switch {
	case !d.Known():
		return fmt.Sprintf("distance %d", uint32(d))
	case d.entry().power:
		return d.entry().name + ":" + strconv.FormatFloat(d.power(), 'g', -1, 64)
	}
	return d.entry().name
}

// Choice returns the name of the distance in a list of choices, in which P stands for a power.
func (d Distance) Choice() string { return d.entry().choice() }

func (e *entry) choice() string {
	if e.power {
		return e.name + ":P"
	}
	return e.name
}

// Choices lists the distances' names, Euclidean first. P stands for a power.
func Choices() (names []string) {
	for i := range table {
		names = append(names, table[i].choice())
	}
	return names
}

// Parse returns the distance of that name.
func Parse(name string) (Distance, error) {
	base, power, _ := strings.Cut(name, ":")
	at := slices.IndexFunc(table, func(e entry) bool { return e.name == base })
	switch {
	case at >= 0 && table[at].power:
		return parsePower(name, power)
	case at >= 0 && name == base:
		return Distance(at), nil
	}
	return Euclidean, fmt.Errorf("distance %q is unknown; the distances are %s", name, strings.Join(Choices(), ", "))
}

// About completes the sentence "rows are near if".
func (d Distance) About() string { return d.entry().about }

// Length returns the distance for d2, the value that neighbour lists store.
func (d Distance) Length(d2 float64) float64 {
	switch e := d.entry(); {
	case e.power:
		return powerLength(d.power(), d2)
	case e.length != nil:
		return e.length(d2)
	}
	return d2
}

// Bits reports whether the distance is only defined for binary rows.
func (d Distance) Bits() bool { return d.entry().counts != nil }

// Absolute reports whether the distance changes when the same vector is added to both rows, so that
// rows must not be centred.
func (d Distance) Absolute() bool { return d.entry().absolute }

// Counts returns the computation from counts of bits, or nil if the distance has none.
func (d Distance) Counts() *Counts { return d.entry().counts }

// Kernel returns the approximation in single precision, or nil if there is none.
func (d Distance) Kernel() *Kernel { return d.entry().kernel }

// Bounded reports whether Box returns useful bounds, instead of 0.
func (d Distance) Bounded() bool { return d.entry().bound != nil || d.entry().power }

// Domain returns the values that the distance is defined for, or nil if it is defined for all.
func (d Distance) Domain() *Domain { return d.entry().domain }

// DomainError reports a value of a row that the distance is not defined for.
type DomainError struct {
	Distance Distance
	Row, Col int
	Value    float64
}

func (e *DomainError) Error() string {
	return fmt.Sprintf("row %d, column %d is %v: the distance %v takes %s", e.Row, e.Col, e.Value, e.Distance, e.Distance.Domain().Words)
}

// Check returns a *DomainError for the first value of x that the distance is not defined for.
func Check[T vec.Float](d Distance, x vec.Matrix[T]) error {
	domain := d.Domain()
	if domain == nil {
		return nil
	}
	for p, v := range x.Data {
		if !domain.Has(float64(v)) {
			return &DomainError{Distance: d, Row: p / x.Cols, Col: p % x.Cols, Value: float64(v)}
		}
	}
	return nil
}

// Restrict changes values of generated rows so that the distance is defined for them: to 1 if they
// are positive, otherwise 0, or to their magnitudes.
func Restrict[T vec.Float](d Distance, x vec.Matrix[T]) {
	domain := d.Domain()
	if domain == nil {
		return
	}
	for p, v := range x.Data {
		x.Data[p] = T(domain.of(float64(v)))
	}
}
