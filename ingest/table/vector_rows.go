package table

import "math"

// VectorRows returns a reader of the rows of a column of vectors, for rows of any length:
// elements that are missing are NaN, and a vector that is missing is nil. What it returns
// is overwritten by the next call.
func VectorRows(c Column) func(i int) []float64 {
	l := listOf(c.arr)
	values := l.ListValues()
	get := NumberGetter(values)
	row := []float64{} // an empty vector is not a missing one
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
