package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"unfold/models/classic/lllvm"
)

// Sheets of up to sheetDims dimensions in sheetColumns columns. Their maps have up to mostDims
// dimensions; maps of rolls have up to as many as columns.
const (
	sheetPoints  = 200
	sheetDims    = 3
	sheetColumns = 12
	sheetBend    = 0.3
	sheetNoise   = 0.02
	mostDims     = 4
)

// dims compares the bound for different numbers of dimensions.
func dims(ctx context.Context, b *bench) (string, error) {
	rows, right := "", 0
	for d := 1; d <= sheetDims; d++ {
		r, err := b.chosen(ctx, fmt.Sprintf("sheet%d", d), bentSheet(d), mostDims)
		if err != nil {
			return "", err
		}
		if r.Model.Runs[r.Model.Best].Dims == d {
			right++
		}
		rows += dimsRow(fmt.Sprintf("a bent sheet, d = %d", d), sheetColumns, r.Model.Runs)
	}
	x, err := rollTable(rollPoints).numbers("x", "y", "z")
	if err != nil {
		return "", err
	}
	for _, c := range []struct {
		name, about string
		t           table
	}{
		{"roll-narrow", "the swiss roll", named(x.Cols, x.Rows, func(i, j int) float64 { return float64(x.Row(i)[j]) })},
		{"roll-wide", "the swiss roll by a linear map", spread(x.Rows, x.Cols, func(i, j int) float64 { return float64(x.Row(i)[j]) })},
	} {
		r, err := b.chosen(ctx, c.name, c.t, x.Cols)
		if err != nil {
			return "", err
		}
		rows += dimsRow(c.about, len(c.t.names), r.Model.Runs)
	}
	return fmt.Sprintf(`    unfold fit sheet.csv --columns '*' --kind lllvm --dims 1:%d --restarts %d -o sheet.unfold

%d points each about a sheet whose columns are a linear function of the place on it, a bend of %g and noise of %g, and the %d
points of the roll, as they are and by a random linear map into %d columns with the same noise. The table has the highest bound of %d
starts of %d iterations for each number of dimensions, the highest of a row in bold. That is the sheet's own number of dimensions for
%d of the %d sheets. Each dimension lowers the bound by the linear maps of all points, while a map of fewer dimensions can explain a few columns equally well.

| data | columns | 1 | 2 | 3 | 4 |
|---|---|---|---|---|---|
%s`, mostDims, b.starts, sheetPoints, sheetBend, sheetNoise, rollPoints, sheetColumns, b.starts, rollSteps, right, sheetDims, rows), nil
}

// chosen learns with every number of dimensions up to most.
func (b *bench) chosen(ctx context.Context, name string, t table, most int) (fitted, error) {
	if err := t.write(b.file(name + ".csv")); err != nil {
		return fitted{}, err
	}
	return b.fit(ctx, name, "lllvm", join(t.names), "--dims", fmt.Sprintf("1:%d", most), "--steps", fmt.Sprint(rollSteps))
}

// dimsRow is a row of the table: the highest bound in each number of dimensions.
func dimsRow(about string, columns int, runs []lllvm.Run) string {
	var highest [mostDims]float64
	best := math.Inf(-1)
	for d := range highest {
		highest[d] = math.Inf(-1)
		for _, r := range runs {
			if r.Dims == d+1 {
				highest[d] = max(highest[d], r.Bound)
			}
		}
		best = max(best, highest[d])
	}
	row := fmt.Sprintf("| %s | %d |", about, columns)
	for _, v := range highest {
		switch {
		case math.IsInf(v, -1):
			row += " |"
		case v == best:
			row += fmt.Sprintf(" **%.0f** |", v)
		default:
			row += fmt.Sprintf(" %.0f |", v)
		}
	}
	return row + "\n"
}

// bentSheet returns a bent sheet of d dimensions.
func bentSheet(d int) table {
	rnd := rand.New(rand.NewPCG(3, uint64(d)))
	slope := normals(rnd, 2*sheetColumns, d)
	place := make([][]float64, sheetPoints)
	for i := range place {
		place[i] = make([]float64, d)
		for k := range place[i] {
			place[i][k] = 2*rnd.Float64() - 1
		}
	}
	return named(sheetColumns, sheetPoints, func(i, j int) float64 {
		straight, bent := 0.0, 0.0
		for k, v := range place[i] {
			straight += slope[j][k] * v
			bent += slope[sheetColumns+j][k] * v
		}
		return straight + sheetBend*math.Sin(2*bent) + sheetNoise*rnd.NormFloat64()
	})
}

// spread maps n rows linearly into more columns, with noise.
func spread(n, columns int, at func(i, j int) float64) table {
	rnd := rand.New(rand.NewPCG(4, 1))
	slope := normals(rnd, sheetColumns, columns)
	return named(sheetColumns, n, func(i, j int) float64 {
		v := sheetNoise * rnd.NormFloat64()
		for k := range columns {
			v += slope[j][k] * at(i, k)
		}
		return v
	})
}

func normals(rnd *rand.Rand, rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
		for k := range out[i] {
			out[i][k] = rnd.NormFloat64()
		}
	}
	return out
}

// named returns a table of n rows with columns x1, x2 and so on.
func named(columns, n int, at func(i, j int) float64) table {
	t := table{rows: make([][]string, n)}
	for j := range columns {
		t.names = append(t.names, "x"+strconv.Itoa(j+1))
	}
	for i := range t.rows {
		t.rows[i] = make([]string, columns)
		for j := range columns {
			t.rows[i][j] = strconv.FormatFloat(at(i, j), 'g', 8, 64)
		}
	}
	return t
}
