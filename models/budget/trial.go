package budget

import (
	"context"
	"math"
	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
)

// placedShare is the number of trial rows for each that is placed on the trial's map, rather than
// learnt.
const placedShare = 4

// split separates the rows of a trial into those that are learnt and those that are placed on their
// map. Both spread over all rows.
func split(x vec.Matrix[float32]) (learnt, placed vec.Matrix[float32]) {
	var a, b []int
	for i := range x.Rows {
		if i%(placedShare+1) == placedShare {
			b = append(b, i)
		} else {
			a = append(a, i)
		}
	}
	return vec.Take(x, a), vec.Take(x, b)
}

// trials returns m rows to learn, and rows to place on their map if the job has any.
func (p Plan) trials(ctx context.Context, x vec.Matrix[float32], m int) (learnt, placed vec.Matrix[float32], err error) {
	if p.Others == 0 {
		learnt, err = p.trial(ctx, x, m)
		return learnt, placed, err
	}
	both, err := p.trial(ctx, x, m+m/placedShare)
	if err != nil {
		return learnt, placed, err
	}
	learnt, placed = split(both)
	return learnt, placed, nil
}

// trial returns m rows for the plan's search: some of the rows x if possible, otherwise generated
// ones.
func (p Plan) trial(ctx context.Context, x vec.Matrix[float32], m int) (vec.Matrix[float32], error) {
	rows, ok := p.some(x, m)
	switch {
	case !ok:
		rows = trial(m, p.Seen)
		distance.Restrict(p.Spec.Distance, rows)
		return rows, nil
	case p.Spec.PCA <= 0:
		return rows, nil
	}
	components, err := pca.Fit(ctx, rows, p.Spec.PCA, pca.Settings{Threads: p.Spec.Threads})
	if err != nil {
		return rows, err
	}
	return components.Projector().Apply(rows, p.Spec.Threads), nil
}

// some returns m of the rows x of the plan, evenly spaced, if a trial can use them: they must be
// distinct, finite, and not so wide that their projection would take long.
func (p Plan) some(x vec.Matrix[float32], m int) (rows vec.Matrix[float32], ok bool) {
	if x.Rows != p.Rows || x.Cols != p.Dim || p.Spec.PCA > 0 && p.Dim > mostProjected || m >= x.Rows || p.Entries > 0 {
		return rows, false
	}
	at := make([]int, m)
	for i := range at {
		at[i] = i * (x.Rows / m)
	}
	rows = vec.Take(x, at)
	if !vec.Finite(rows.Data) {
		return rows, false
	}
	unique, _, _ := graph.Collapse(rows)
	return rows, len(unique) == m
}

// trial generates rows in ten groups, always the same.
func trial(n, dim int) vec.Matrix[float32] {
	x := vec.New[float32](n, dim)
	state := uint64(1)
	next := func() float32 { // splitmix64, four of them added: nearly normal
		var sum float32
		for range 4 {
			state += 0x9e3779b97f4a7c15
			z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			sum += float32(z>>40)/(1<<24) - 0.5
		}
		return sum * math.Sqrt2
	}
	centre := make([]float32, 10*dim)
	for k := range centre {
		centre[k] = 3 * next()
	}
	for i := range n {
		row, c := x.Row(i), centre[i%10*dim:]
		for k := range row {
			row[k] = c[k] + next()
		}
	}
	return x
}
