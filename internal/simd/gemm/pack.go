package gemm

import "unfold/internal/simd/transpose"

// packLeft copies rows (at most height) of v, terms long, to a panel: element k
// of row r is at k*height + r. Missing rows are zero.
func packLeft(panel []float64, v view, rows, terms int) {
	panel = panel[:height*terms]
	if rows < height {
		clear(panel)
	} else if v.row == 1 {
		for k := range terms {
			*(*[height]float64)(panel[k*height:]) = *(*[height]float64)(v.data[k*v.col:])
		}
		return
	}
	packLines(panel, height, v, rows, terms)
}

// packRight copies columns (at most width) of v, terms long, to a panel: element k
// of column c is at k*width + c. Missing columns are zero.
func packRight(panel []float64, v view, cols, terms int) {
	panel = panel[:width*terms]
	if cols < width {
		clear(panel)
	} else if v.col == 1 {
		for k := range terms {
			*(*[width]float64)(panel[k*width:]) = *(*[width]float64)(v.data[k*v.row:])
		}
		return
	}
	packLines(panel, width, view{v.data, v.col, v.row}, cols, terms)
}

// packLines copies rows of v to a panel with the given step between the elements
// of a row.
func packLines(panel []float64, step int, v view, rows, terms int) {
	if v.col == 1 {
		transpose.Columns(panel, step, v.data, v.row, rows, terms)
		return
	}
	for r := range rows {
		for k := range terms {
			panel[k*step+r] = v.data[r*v.row+k*v.col]
		}
	}
}
