package table

import "math"

// VectorRows returns a function that reads the rows of a column of vectors of any length. Missing
// elements are NaN, and a missing vector is nil. The next call overwrites the result.
func VectorRows(c Column) func(i int) []float64 {
	l := listOf(c.arr)
	values := l.ListValues()
	get := NumberGetter(values)
	row := []float64{} // not nil, because an empty vector is not a missing one
	return func(i int) []float64 {
		if l.IsNull(i) {
			return nil
		}
		row = row[:0]
		from, to := l.ValueOffsets(i)
		for k := int(from); k < int(to); k++ {
			if values.IsNull(k) {
				row = append(row, math.NaN())
			} else {
				row = append(row, get(k))
			}
		}
		return row
	}
}
