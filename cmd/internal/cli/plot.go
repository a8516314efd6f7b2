package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/atomicfile"
	"unfold/internal/vec"
	"unfold/models/pca"
)

type plotCmd struct {
	Map         string   `arg:"" optional:"" help:"A map, as fit and embed write it."`
	History     string   `placeholder:"FOLDER" help:"Instead of a map: a stage's state folder, to draw how its maps have moved, drifted and changed."`
	Bounds      string   `placeholder:"REPORT" help:"Instead of a map: the report of a fit of kind lllvm, to draw its bound by the number of neighbours or, if there was one, in the course of learning."`
	Compare     string   `placeholder:"BEFORE" help:"Another map of points with the same ids: it is laid over this one (turned, shifted and scaled). Colours show how far points have moved, and arrows the largest moves."`
	Output      string   `short:"o" required:"" placeholder:"FILE" help:"The picture: .png, .svg or .pdf."`
	Color       string   `placeholder:"COL" help:"Column that colours the points: categories and few whole numbers as classes, other numbers and times on a scale. Default: label, cluster, or the only column of the data in the map, if it has classes."`
	Scale       string   `enum:"auto,linear,log" default:"auto" placeholder:"auto|linear|log" help:"How numbers become colours. By default evenly, or by their logarithms where they are above 0 and of very different sizes."`
	Palette     string   `placeholder:"NAME" help:"Colours: okabe-ito, tol or position for classes, viridis, magma, inferno, cividis or grey for numbers, or your own as #0072b2,#e69f00. Default: by the names of classes, and viridis."`
	Dark        bool     `help:"Draw on a dark ground."`
	Shade       string   `enum:"glow,density,none" default:"glow" placeholder:"glow|density|none" help:"Shading below the dots: a glow in the colours of classes, the density in grey, or none. Default glow."`
	Facet       string   `placeholder:"COL" help:"Draw a panel for each value of a column, its points in colour and all others in grey."`
	Highlight   []string `placeholder:"VALUE" help:"Draw all points in grey, except those of these classes or with a value of another column: COL=VALUE, as in id=17. Few points are marked one by one."`
	Size        string   `placeholder:"COL" help:"Column of numbers that the dots' areas are proportional to."`
	Names       string   `placeholder:"COL" help:"Column whose values are written on the map where each is densest. Default: the classes or, where numbers colour, clusters if the map has any."`
	NoNames     bool     `help:"Do not write names on the map."`
	Beside      string   `placeholder:"FILE" help:"A table with a row for every point of the map, in the map's order, such as clusters writes: its columns count as the map's own."`
	LabelFile   []string `placeholder:"FILE" help:"Labels beside the map, one a row: IDX, .npy or a CSV column."`
	Title       string   `placeholder:"TEXT" help:"Title of the picture. Default: the map's name."`
	Axes        []int    `placeholder:"I" help:"Which two dimensions to draw, from 0. Default: both; of more than two, their first two principal components."`
	Width       int      `default:"1600" placeholder:"PIXELS" help:"Default 1600."`
	Height      int      `default:"1200" placeholder:"PIXELS" help:"Default 1200."`
	Classes     int      `default:"100" placeholder:"N" help:"Most classes with a colour of their own, up to 250; rarer ones share a grey. Default 100."`
	Uncertainty bool     `help:"Draw the uncertainty of the places around the points, one standard deviation wide: circles of the column sigma or, with --model, ellipses of the points that it was learnt from."`
	Model       string   `short:"m" placeholder:"MODEL" help:"With --uncertainty: the map's model, of a kind with covariances (lllvm)."`
	Seed        uint64   `default:"1" rare:"" placeholder:"N" help:"Shuffles the order in which dots are drawn. Default 1."`
	memoryFlag
}

func (plotCmd) Help() string {
	return `Draws the map with equal axes, dots whose size follows the density, names where classes are densest and a legend beside
the points. A class's colour follows its name: it is the same in other pictures and on the page. The first ten colours are
such that colour-blind eyes can tell them apart. Where a few far points would leave most of the picture empty, they are drawn hollow at its edge
and counted.

    unfold plot map.parquet -o map.png --color label
    unfold plot map.parquet -o novelty.svg --color novelty_global
    unfold plot map.parquet -o days.pdf --facet day --dark
    unfold plot --compare yesterday.parquet today.parquet -o moved.png
    unfold plot map.parquet -o known.png --uncertainty --model data.unfold
    unfold plot --bounds report.json -o bounds.png
    unfold plot --history /var/lib/unfold -o history.png`
}

// pictureFormat writes pictures of maps and of histories in one format.
type pictureFormat struct {
	ofMap     func(io.Writer, plot.Map, plot.Settings) (plot.Drawn, error)
	ofHistory func(io.Writer, plot.History, plot.Settings) error
}

// pictureFormats maps the output's extension to its format.
var pictureFormats = map[string]pictureFormat{
	".png": {plot.PNG, plot.HistoryPNG},
	".svg": {plot.SVG, plot.HistorySVG},
	".pdf": {plot.PDF, plot.HistoryPDF},
}

func (c *plotCmd) Run(ctx context.Context, p *program) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	if err := checkWritable(c.Output); err != nil {
		return err
	}
	format := pictureFormats[strings.ToLower(filepath.Ext(c.Output))]
	if c.History != "" {
		return c.history(p, format, s)
	}
	if c.Bounds != "" {
		return c.bounds(p, format, s)
	}
	m, err := readDrawn(ctx, p, c.Map)
	if err != nil {
		return err
	}
	if c.Beside != "" {
		if err := addBeside(ctx, p, m, c.Map, c.Beside); err != nil {
			return err
		}
	}
	picture, err := c.picture(ctx, p, m)
	if err != nil {
		return err
	}
	var drawn plot.Drawn
	if err := atomicfile.Write(c.Output, func(w io.Writer) (err error) { drawn, err = format.ofMap(w, picture, s); return err }); err != nil {
		return err
	}
	said := picture.Subtitle
	if notes := drawn.Notes(); notes != "" {
		said += "; " + notes
	}
	p.printf("%s: %s\n", c.Output, said)
	return nil
}

// settings checks the flags and returns the settings of the picture.
func (c *plotCmd) settings() (s plot.Settings, err error) {
	if _, known := pictureFormats[strings.ToLower(filepath.Ext(c.Output))]; !known {
		return s, usagef("--output: %q is neither a .png nor a .svg nor a .pdf", c.Output)
	}
	if n := len(c.Axes); n != 0 && n != 2 {
		return s, usagef("--axes: two dimensions are needed, as 0,1")
	}
	s = plot.Settings{Width: c.Width, Height: c.Height, Classes: c.Classes, NoNames: c.NoNames,
		Palette: c.Palette, Dark: c.Dark, Shade: plot.Shade(c.Shade), Seed: c.Seed}
	if c.Shade == "glow" {
		s.Shade = plot.Glow
	}
	if err := s.Check(); err != nil {
		return s, &usageError{err: err}
	}
	given := 0
	for _, what := range []string{c.Map, c.History, c.Bounds} {
		if what != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return s, usagef("plot: name either a map or, with --history, a state folder or, with --bounds, a report")
	case c.Model != "" && !c.Uncertainty:
		return s, usagef("--model goes with --uncertainty")
	case c.Compare != "" && c.Map == "":
		return s, usagef("--compare: name two maps, as in plot --compare before.parquet after.parquet")
	case c.Compare != "" && c.Uncertainty:
		return s, usagef("--compare does not go with --uncertainty")
	}
	return s, nil
}

// picture collects the coordinates and colours of the points.
func (c *plotCmd) picture(ctx context.Context, p *program, m *emit.Map) (plot.Map, error) {
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
	flatten, drawn, err := c.flattener(ctx, m.Embedding)
	if err != nil {
		return out, err
	}
	out.Subtitle += drawn
	out.X, out.Y = columnsOf(flatten(m.Embedding))
	if out.Spread, err = c.spread(ctx, m, out.X, out.Y); err != nil {
		return out, err
	}
	if c.Compare != "" {
		if err := c.compare(ctx, p, &out, m, flatten); err != nil {
			return out, err
		}
	}
	if len(c.LabelFile) > 0 {
		labels, err := readLabels(ctx, c.LabelFile, n, p.inputs())
		if err != nil {
			return out, err
		}
		out.By, out.Class, out.Value = ingest.LabelName, labels, nil
	} else if err := c.color(ctx, &out, m); err != nil {
		return out, err
	}
	return out, c.columns(ctx, &out, m)
}

// columnsOf returns the two columns of a map with two dimensions.
func columnsOf(flat vec.Matrix[float32]) (x, y []float64) {
	x, y = make([]float64, flat.Rows), make([]float64, flat.Rows)
	for i := range x {
		x[i], y[i] = float64(flat.Row(i)[0]), float64(flat.Row(i)[1])
	}
	return x, y
}

// placed returns the rows that have a place.
func placed(mu vec.Matrix[float32]) vec.Matrix[float32] {
	out := vec.Matrix[float32]{Cols: mu.Cols}
	for i := range mu.Rows {
		if row := mu.Row(i); vec.Finite(row) {
			out.Data, out.Rows = append(out.Data, row...), out.Rows+1
		}
	}
	return out
}

// flattener returns a function that reduces a map of at least two dimensions to the two to draw. It
// also returns a description of these two where that is not obvious.
func (c *plotCmd) flattener(ctx context.Context, mu vec.Matrix[float32]) (func(vec.Matrix[float32]) vec.Matrix[float32], string, error) {
	d, axes := mu.Cols, c.Axes
	switch {
	case len(axes) == 0 && d > 2 && mu.Rows > 2:
		p, err := pca.Fit(ctx, placed(mu), 2, pca.Settings{})
		if err != nil {
			return nil, "", err
		}
		return func(m vec.Matrix[float32]) vec.Matrix[float32] { return p.Projector().Apply(m, 0) },
			fmt.Sprintf(", first two principal components of %d dimensions", d), nil
	case len(axes) == 0:
		axes = []int{0, 1}
	}
	take := func(m vec.Matrix[float32]) vec.Matrix[float32] {
		out := vec.New[float32](m.Rows, 2)
		for i := range m.Rows {
			for k, a := range axes {
				out.Row(i)[k] = m.Row(i)[a]
			}
		}
		return out
	}
	if d == 2 {
		return take, "", nil
	}
	return take, fmt.Sprintf(", dimensions %d and %d of %d", axes[0], axes[1], d), nil
}
