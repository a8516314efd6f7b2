package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models"
)

// columns reads the columns used for panels, sizes, names and highlights.
func (c *plotCmd) columns(ctx context.Context, out *plot.Map, m *emit.Map) error {
	if c.Facet != "" {
		column, err := mapColumn(c.Map, m, c.Facet)
		if err != nil {
			return err
		}
		out.Facet = column.Strings()
	}
	if c.Size != "" {
		column, err := mapColumn(c.Map, m, c.Size)
		if err != nil {
			return err
		}
		if column.Kind() != table.Number {
			return models.BadInputf("%s: column %q holds no numbers (%s), by which --size could draw", c.Map, c.Size, column.DataType())
		}
		out.Size, out.SizeBy = numbersOf(column), c.Size
	}
	if err := c.names(ctx, out, m); err != nil {
		return err
	}
	return c.highlight(out, m)
}

// names selects the column of the names that are written on the map in addition to classes.
func (c *plotCmd) names(ctx context.Context, out *plot.Map, m *emit.Map) error {
	by := c.Names
	if by == "" {
		if _, err := m.Column(emit.ClusterName); err != nil || out.Value == nil {
			return nil
		}
		by = emit.ClusterName
	}
	column, err := mapColumn(c.Map, m, by)
	if err != nil {
		return err
	}
	if by == emit.ClusterName {
		out.Name, _, err = c.clusters(ctx, m, column)
		return err
	}
	out.Name = column.Strings()
	return nil
}

// namedPoints is the most highlighted points that are labelled with their ids.
const namedPoints = 25

// highlight marks the points with the requested values.
func (c *plotCmd) highlight(out *plot.Map, m *emit.Map) error {
	if len(c.Highlight) == 0 {
		return nil
	}
	out.Bright = make([]bool, len(out.X))
	for _, asked := range c.Highlight {
		of, value := out.Class, asked
		by := out.By
		if name, rest, ok := strings.Cut(asked, "="); ok && !slices.Contains(of, asked) {
			column, err := mapColumn(c.Map, m, name)
			if err != nil {
				return err
			}
			by, of, value = name, column.Strings(), rest
		}
		if of == nil {
			return usagef("--highlight: %q is of no class, as no classes colour; name a column, as in id=17", asked)
		}
		found := false
		for i, have := range of {
			// Clusters also match by their number alone.
			if have == value || by == emit.ClusterName && strings.HasPrefix(have, value+": ") {
				out.Bright[i], found = true, true
			}
		}
		if !found {
			return table.InFile(c.Map, models.BadInputf("no point has %q in column %q%s", value, by, someOf(of)))
		}
	}
	bright := 0
	for _, b := range out.Bright {
		if b {
			bright++
		}
	}
	out.Subtitle += fmt.Sprintf(", %s of them highlighted", humanize.Count(bright))
	if c.Names == "" && bright <= namedPoints && m.ID.Valid() {
		out.Name = make([]string, len(out.X))
		for i, b := range out.Bright {
			if b {
				out.Name[i] = m.ID.Text(i)
			}
		}
	}
	return nil
}

// someOf lists a few of the distinct values.
func someOf(values []string) string {
	const few = 8
	all := slices.Compact(slices.Sorted(slices.Values(values)))
	if len(all) > few {
		return fmt.Sprintf("; it has %s, among them %s", humanize.Plural(len(all), "value"), table.List(all[:few]))
	}
	return "; it has " + table.List(all)
}
