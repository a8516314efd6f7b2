package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/atomicfile"
	"unfold/internal/vec"
	"unfold/models/pca"
)

type plotCmd struct {
	Map         string   `arg:"" optional:"" help:"A map, as fit and embed write it."`
	History     string   `placeholder:"FOLDER" help:"Instead of a map: a stage's state folder, to draw how its maps have moved, drifted and changed."`
	Bounds      string   `placeholder:"REPORT" help:"Instead of a map: the report of a fit of kind lllvm, to draw its bound by the number of neighbours or, if there was one, in the course of learning."`
	Output      string   `short:"o" required:"" placeholder:"FILE" help:"The picture: .png or .svg."`
	Color       string   `placeholder:"COL" help:"Column that colours the points: categories and few whole numbers as classes, other numbers on a scale. Default: label, if there is one."`
	Beside      string   `placeholder:"FILE" help:"A table with a row for every point of the map, in the map's order, such as clusters writes: its columns count as the map's own."`
	LabelFile   []string `placeholder:"FILE" help:"Labels beside the map, one a row: IDX, .npy or a CSV column."`
	Title       string   `placeholder:"TEXT" help:"Title of the picture. Default: the map's name."`
	Axes        []int    `placeholder:"I" help:"Which two dimensions to draw, from 0. Default: both; of more than two, their first two principal components."`
	Width       int      `default:"1600" placeholder:"PIXELS" help:"Default 1600."`
	Height      int      `default:"1200" placeholder:"PIXELS" help:"Default 1200."`
	Classes     int      `default:"10" placeholder:"N" help:"Most classes with a colour of their own, up to 10; rarer ones share a grey. Default 10."`
	Uncertainty bool     `help:"Draw the uncertainty of the places around the points, one standard deviation wide: circles of the column sigma or, with --model, ellipses of the points that it was learnt from."`
	Model       string   `short:"m" placeholder:"MODEL" help:"With --uncertainty: the map's model, of a kind that knows covariances (lllvm)."`
	NoNames     bool     `help:"Do not write the classes' names on the map."`
}

func (plotCmd) Help() string {
	return `Draws the map with equal axes, dots whose size follows the density, colours that colour-blind eyes can tell apart
and a legend beside the points. Where a few far points would leave most of the picture empty, they are drawn hollow
at its edge and counted.

    unfold plot map.parquet -o map.png --color label
    unfold plot map.parquet -o novelty.svg --color novelty_global
    unfold plot map.parquet -o known.png --uncertainty --model data.unfold
    unfold plot --bounds report.json -o bounds.png
    unfold plot --history /var/lib/unfold -o history.png`
}

func (c *plotCmd) Run(ctx context.Context, p *program) error {
	write := plot.PNG
	switch strings.ToLower(filepath.Ext(c.Output)) {
	case ".png":
	case ".svg":
		write = plot.SVG
	default:
		return usagef("--output: %q is neither a .png nor a .svg", c.Output)
	}
	if n := len(c.Axes); n != 0 && n != 2 {
		return usagef("--axes: two dimensions are needed, as 0,1")
	}
	s := plot.Settings{Width: c.Width, Height: c.Height, Classes: c.Classes, NoNames: c.NoNames}
	if err := s.Check(); err != nil {
		return &usageError{err: err}
	}
	given := 0
	for _, what := range []string{c.Map, c.History, c.Bounds} {
		if what != "" {
			given++
		}
	}
	if given != 1 {
		return usagef("plot: name either a map or, with --history, a state folder or, with --bounds, a report")
	}
	if err := checkWritable(c.Output); err != nil {
		return err
	}
	if c.Model != "" && !c.Uncertainty {
		return usagef("--model goes with --uncertainty")
	}
	svg := strings.EqualFold(filepath.Ext(c.Output), ".svg")
	if c.History != "" {
		return c.history(p, svg, s)
	}
	if c.Bounds != "" {
		return c.bounds(p, svg, s)
	}
	m, err := readMap(ctx, p, c.Map)
	if err != nil {
		return err
	}
	if c.Beside != "" {
		if err := addBeside(ctx, p, m, c.Map, c.Beside); err != nil {
			return err
		}
	}
	picture, err := c.picture(ctx, m)
	if err != nil {
		return err
	}
	var drawn plot.Drawn
	if err := atomicfile.Write(c.Output, func(w io.Writer) (err error) { drawn, err = write(w, picture, s); return err }); err != nil {
		return err
	}
	said := picture.Subtitle
	if notes := drawn.Notes(); notes != "" {
		said += "; " + notes
	}
	p.printf("%s: %s\n", c.Output, said)
	return nil
}

// picture collects coordinates and colours.
func (c *plotCmd) picture(ctx context.Context, m *emit.Map) (plot.Map, error) {
	n, d := m.Embedding.Rows, m.Embedding.Cols
	title := c.Title
	if title == "" {
		title = strings.TrimSuffix(filepath.Base(c.Map), filepath.Ext(c.Map))
	}
	out := plot.Map{Title: title, Subtitle: humanize.Plural(n, "point")}
	if d < 2 {
		return out, usagef("%s has one dimension; a picture needs two: learn it with --dims 2", c.Map)
	}
	for _, a := range c.Axes {
		if a < 0 || a >= d {
			return out, usagef("--axes: there is no dimension %d; the map has 0 to %d", a, d-1)
		}
	}
	flat, drawn, err := c.flatten(ctx, m.Embedding)
	if err != nil {
		return out, err
	}
	out.Subtitle += drawn
	out.X, out.Y = make([]float64, n), make([]float64, n)
	for i := range n {
		row := flat.Row(i)
		out.X[i], out.Y[i] = float64(row[0]), float64(row[1])
	}
	if out.Spread, err = c.spread(ctx, m, out.X, out.Y); err != nil {
		return out, err
	}
	if len(c.LabelFile) > 0 {
		labels, err := readLabels(ctx, c.LabelFile, n, ingest.Options{})
		out.By, out.Class = "label", labels
		return out, err
	}
	return out, c.color(ctx, &out, m)
}

// flatten returns the two columns to draw of a map of at least two dimensions,
// and says which they are where that is not plain.
func (c *plotCmd) flatten(ctx context.Context, mu vec.Matrix[float32]) (vec.Matrix[float32], string, error) {
	d := mu.Cols
	axes := c.Axes
	switch {
	case len(axes) == 0 && d > 2 && mu.Rows > 2:
		p, err := pca.Fit(ctx, mu, 2, pca.Settings{})
		if err != nil {
			return mu, "", err
		}
		return p.Projector().Apply(mu, 0), fmt.Sprintf(", first two principal components of %d dimensions", d), nil
	case len(axes) == 0:
		axes = []int{0, 1}
	}
	out := vec.New[float32](mu.Rows, 2)
	for i := range mu.Rows {
		for k, a := range axes {
			out.Row(i)[k] = mu.Row(i)[a]
		}
	}
	if d == 2 {
		return out, "", nil
	}
	return out, fmt.Sprintf(", dimensions %d and %d of %d", axes[0], axes[1], d), nil
}

// color chooses the column that colours and how.
func (c *plotCmd) color(ctx context.Context, out *plot.Map, m *emit.Map) error {
	by := c.Color
	if by == "" {
		if _, err := m.Column(ingest.LabelName); err != nil {
			return nil
		}
		by = ingest.LabelName
	}
	column, err := mapColumn(c.Map, m, by)
	if err != nil {
		return err
	}
	out.By = by
	if by == emit.ClusterName { // however many there are, numbers of clusters are no scale
		if out.Class, err = c.clusters(ctx, m, column); err != nil {
			return err
		}
	} else if values, classes := colorBy(column); classes != nil {
		out.Class = classes
	} else {
		out.Value = values
	}
	if strings.HasPrefix(by, "novelty") {
		out.From, out.To = 0, 1
	}
	return nil
}

// clusters are those of rows by their numbers, with what sets them apart where the map has
// columns that say so; "" for noise.
func (c *plotCmd) clusters(ctx context.Context, m *emit.Map, column table.Column) ([]string, error) {
	in := clustersIn(column)
	names, err := in.names(ctx, m.Kept)
	text := make([]string, len(in.of))
	for i, k := range in.of {
		if k >= 0 {
			text[i] = in.ids[k]
			if names[k] != "" {
				text[i] += ": " + names[k]
			}
		}
	}
	return text, err
}

// fewWhole is the most distinct whole numbers that are taken for classes.
const fewWhole = 20

// colorBy returns a column's numbers, or its classes if it is no number or holds
// only few distinct whole ones.
func colorBy(c table.Column) (values []float64, classes []string) {
	if c.Kind() != table.Number {
		return nil, c.Strings()
	}
	values, _ = c.Floats()
	var distinct []float64
	for _, v := range values {
		if v != float64(int64(v)) {
			return values, nil
		}
		if !slices.Contains(distinct, v) {
			if distinct = append(distinct, v); len(distinct) > fewWhole {
				return values, nil
			}
		}
	}
	return nil, c.Strings()
}
