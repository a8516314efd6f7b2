package median

// Table has points in columns of equal length. Rows of equal numbers are distinguished by Index,
// which must ascend within the range that Divide divides.
type Table struct {
	Columns [][]float64
	Index   []int32
	// Spare and SpareIndex are workspace of the same size.
	Spare      [][]float64
	SpareIndex []int32
}

// NewTable returns a table of zeros with n rows and the given number of columns.
func NewTable(n, columns int) Table {
	t := Table{
		Columns: make([][]float64, columns), Index: make([]int32, n),
		Spare: make([][]float64, columns), SpareIndex: make([]int32, n),
	}
	for k := range columns {
		t.Columns[k], t.Spare[k] = make([]float64, n), make([]float64, n)
	}
	return t
}

// Bytes returns the memory of the table.
func (t *Table) Bytes() int64 {
	return int64(len(t.Index)) * int64(2*4+2*8*len(t.Columns))
}

// Extent returns the smallest and the largest of column k's numbers from..to.
func (t *Table) Extent(k, from, to int) (low, high float64) {
	return extentAt(level, t.Columns[k][from:to])
}

// Divide puts the rows from..to with the m smallest numbers of column k, 0 < m < to-from, before
// the others. The rows on either side keep their order. All numbers must be within low..high, the
// result of Extent.
func (t *Table) Divide(k, from, to, m int, low, high float64) {
	v, last := t.quantile(k, from, to, m-1, low, high)
	middle := divideAt(level, t, k, from, to, v, last)
	for c, column := range t.Columns {
		copy(column[middle:to], t.Spare[c][from:])
	}
	copy(t.Index[middle:to], t.SpareIndex[from:])
}

const (
	// few is the number of elements that are sorted in the end, rounds the maximum number of counts
	// before that.
	few    = 16
	rounds = 24
)

// quantile returns the number and index of the element of rank r, 0-based, among rows from..to of
// column k.
//
// Every round counts the elements below a point where the count should be r, shifted by a sixteenth
// of the interval's elements, alternately to either side, so that both ends of the interval close
// in.
func (t *Table) quantile(k, from, to, r int, low, high float64) (v float64, last int32) {
	key := t.Columns[k][from:to]
	under, upto := 0, len(key) // elements below low, and below or at high
	for round := 0; upto-under > few && round < rounds; round++ {
		side := float64(upto-under)/16 + 1
		if round%2 == 1 {
			side = -side
		}
		share := (float64(r-under) + 0.5 + side) / float64(upto-under)
		if share < 0.05 {
			share = 0.05
		} else if share > 0.95 {
			share = 0.95
		}
		p := low + (high-low)*share
		if !(low < p && p < high) {
			break // equal numbers, or the range of numbers is left
		}
		if c := belowAt(level, key, p); c <= r {
			low, under = p, c
		} else {
			high, upto = p, c
		}
	}
	number, index := t.Spare[k][from:to], t.SpareIndex[from:to]
	count := betweenAt(level, number, index, key, t.Index[from:to], low, high)
	number, index = number[:count], index[:count]
	Split(number, index, r-under+1)
	// The element is the largest of the first r+1.
	at := 0
	for q := 1; q <= r-under; q++ {
		if before(number[at], index[at], number[q], index[q]) {
			at = q
		}
	}
	return number[at], index[at]
}
