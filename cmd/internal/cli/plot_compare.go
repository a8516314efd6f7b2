package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/models/prior"
)

// compare aligns the earlier map with m by their common points, and reports how far these moved.
func (c *plotCmd) compare(ctx context.Context, p *program, out *plot.Map, m *emit.Map, flatten func(vec.Matrix[float32]) vec.Matrix[float32]) error {
	before, err := readMap(ctx, p, c.Compare)
	if err != nil {
		return err
	}
	if a, b := before.Embedding.Cols, m.Embedding.Cols; a != b {
		return usagef("--compare: %s has %d dimensions, %s %d", c.Compare, a, c.Map, b)
	}
	pairs, twice, err := c.common(before, m)
	if err != nil {
		return err
	}
	from, to := vec.New[float64](len(pairs), m.Embedding.Cols), vec.New[float64](len(pairs), m.Embedding.Cols)
	for k, pair := range pairs {
		for a := range from.Cols {
			from.Row(k)[a], to.Row(k)[a] = float64(before.Embedding.Row(pair.before)[a]), float64(m.Embedding.Row(pair.after)[a])
		}
	}
	turn, ok := prior.Similar(from, to)
	if !ok {
		return table.InFile(c.Compare, fmt.Errorf("its places cannot be laid over those of %s: they are no finite numbers", c.Map))
	}
	turn.ApplyAll(from)
	diameter := live.Diameter(to)
	moved := live.Measure(from, to, diameter)

	x0, y0 := columnsOf(flatten(vec.Convert[float32](from)))
	x1, y1 := columnsOf(flatten(vec.Convert[float32](to)))
	out.By, out.Value, out.To = "moved, %", make([]float64, len(out.X)), moved.P99
	for i := range out.Value {
		out.Value[i] = math.NaN()
	}
	for k, pair := range pairs {
		out.Moves = append(out.Moves, plot.Move{X0: x0[k], Y0: y0[k], X1: x1[k], Y1: y1[k]})
		out.Value[pair.after] = 100 * math.Sqrt(vec.SquaredDistance(from.Row(k), to.Row(k))) / max(diameter, math.SmallestNonzeroFloat64)
	}
	out.Subtitle = fmt.Sprintf("%s of %s also in %s: moved %.2g, %.2g, %.2g %% of the diameter (median, 90th, 99th percentile)",
		humanize.Count(len(pairs)), out.Subtitle, filepath.Base(c.Compare), moved.Median, moved.P90, moved.P99)
	if gone := before.Len() - len(pairs) - twice; gone > 0 {
		out.Subtitle += fmt.Sprintf("; %s gone", humanize.Count(gone))
	}
	if twice > 0 {
		p.note("%s of %s left out: their ids come more than once", humanize.Plural(twice, "row"), c.Compare)
	}
	return nil
}

// pair is a point of two maps, as its row in each.
type pair struct{ before, after int }

// common returns the common points of two maps, by id or, without ids, by row. twice is the number
// of points of the first map that are skipped because of duplicate ids.
func (c *plotCmd) common(before, after *emit.Map) (pairs []pair, twice int, err error) {
	if !before.ID.Valid() || !after.ID.Valid() {
		if n := before.Len(); n == after.Len() {
			for i := range n {
				pairs = append(pairs, pair{i, i})
			}
			return pairs, 0, nil
		}
		return nil, 0, usagef("--compare: %s and %s have no ids by which their points could be matched, and not as many rows", c.Compare, c.Map)
	}
	const several = -1
	row := make(map[string]int, before.Len())
	for i, id := range before.ID.Strings() {
		if _, there := row[id]; there {
			i = several
		}
		row[id] = i
	}
	seen := map[string]bool{}
	for i, id := range after.ID.Strings() {
		if at, there := row[id]; there && at != several && !seen[id] {
			pairs = append(pairs, pair{at, i})
		}
		seen[id] = true
	}
	for _, id := range before.ID.Strings() {
		if row[id] == several {
			twice++
		}
	}
	if len(pairs) < 3 {
		return nil, 0, usagef("--compare: %s and %s have %s in common; a comparison needs three", c.Compare, c.Map, humanize.Plural(len(pairs), "id"))
	}
	return pairs, twice, nil
}
