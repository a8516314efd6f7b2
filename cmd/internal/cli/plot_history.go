package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"
	"unfold/ingest/table"
	"unfold/internal/atomicfile"
	"unfold/models/live"
	"unfold/stream"
	"unfold/stream/learn"
)

// history draws the history of maps in the state folder of a stage, running or stopped.
func (c *plotCmd) history(p *program, format pictureFormat, s plot.Settings) error {
	all, err := learn.ReadHistory(c.History)
	if errors.Is(err, fs.ErrNotExist) {
		return &table.Error{Origin: table.Origin{File: c.History}, Row: -1, Problem: "there is no state of a stage with a map in it",
			Hint: "name the folder that the setting state names, once the stage has learnt a map"}
	}
	if err != nil {
		return err
	}
	return c.panels(p, format, s, historyOf(all), "The maps of "+filepath.Clean(c.History))
}

// panels writes h. The flag's title replaces the given one.
func (c *plotCmd) panels(p *program, format pictureFormat, s plot.Settings, h plot.History, title string) error {
	if h.Title = c.Title; h.Title == "" {
		h.Title = title
	}
	if err := atomicfile.Write(c.Output, func(w io.Writer) error { return format.ofHistory(w, h, s) }); err != nil {
		return err
	}
	p.printf("%s: %s\n", c.Output, h.Subtitle)
	return nil
}

// leastMove is the smallest move that the picture shows as different from 0, in percent of the
// diameter.
const leastMove = 0.01

// movesOf returns the panel of moves. Major refreshes are drawn as rings on a logarithmic scale,
// because their moves can be a hundred times larger. The first map of an epoch has no moves: places
// before and after it are not comparable.
func movesOf(all []stream.Stats) plot.Panel {
	major := make([]bool, len(all))
	for i, f := range all {
		major[i] = f.Kind == live.Major.String() && i > 0 && all[i-1].Epoch == f.Epoch
	}
	p := quantilesOf(all, "Moves in a refresh, % of the diameter; rings: major refreshes", func(i int) (stream.Quantiles, bool) {
		return all[i].Moves, major[i] || all[i].Kind == live.Ordinary.String() || all[i].Kind == live.Gentle.String()
	})
	p.Log = leastMove
	for i := range p.Series {
		p.Series[i].Alone = major
	}
	return p
}

// historyOf arranges the statistics of maps as panels.
func historyOf(all []stream.Stats) plot.History {
	h := plot.History{Along: "version of the map; dashed: learnt as a whole", Subtitle: humanize.Plural(len(all), "map")}
	epochs := 0
	for i, f := range all {
		h.At = append(h.At, float64(f.Version))
		begins := i > 0 && f.Epoch != all[i-1].Epoch
		if begins {
			epochs++
		}
		if begins || f.Kind == live.Major.String() {
			h.Marks = append(h.Marks, float64(f.Version))
		}
	}
	if whole := len(h.Marks); whole > 0 {
		h.Subtitle += fmt.Sprintf(", %d learnt as a whole", whole)
	}
	if epochs > 0 {
		h.Subtitle += fmt.Sprintf(", %s", humanize.Plural(epochs, "new epoch"))
	}
	h.Panels = panelsOf(all)
	return h
}

// panelsOf returns the panels of a history, without those of figures that no map has.
func panelsOf(all []stream.Stats) []plot.Panel {
	series := func(name string, of func(f stream.Stats) float64) plot.Series {
		v := plot.Series{Name: name}
		for _, f := range all {
			v.Values = append(v.Values, of(f))
		}
		return v
	}
	known := func(v float64, ok bool) float64 {
		if ok {
			return v
		}
		return math.NaN()
	}
	panels := []plot.Panel{
		movesOf(all),
		quantilesOf(all, "Drift since the epoch began, % of the diameter", func(i int) (stream.Quantiles, bool) { return all[i].Drift, true }),
		{Title: "Share of new points beyond 95% of novelty", Level: 0.05, Series: []plot.Series{
			series("share", func(f stream.Stats) float64 { return known(f.Novel, f.Judged > 0) })}},
		{Title: "Log-likelihood per pair", Series: []plot.Series{
			series("log-likelihood", func(f stream.Stats) float64 { return known(f.LoglikPair, f.LoglikPair != 0) })}},
		{Title: "Points on the map", Series: []plot.Series{series("points", func(f stream.Stats) float64 { return float64(f.Points) })}},
	}
	if slices.ContainsFunc(all, func(f stream.Stats) bool { return f.Voted > 0 }) {
		panels = append(panels, plot.Panel{Title: "9-NN label error of events before they are learnt, %", Series: []plot.Series{
			series("label error", func(f stream.Stats) float64 { return known(100*f.LabelError(), f.Voted > 0) })}})
	}
	if slices.ContainsFunc(all, func(f stream.Stats) bool { return f.Newest.Window > 0 }) {
		panels = append(panels, plot.Panel{Title: "How unlike the points the newest events are, and the bound", Series: []plot.Series{
			series("level", func(f stream.Stats) float64 { return known(f.Newest.Level, f.Newest.Window > 0) }),
			series("bound", func(f stream.Stats) float64 { return known(f.Newest.Bound, f.Newest.Window > 0) })}})
	}
	return panels
}

// quantilesOf returns a panel of the median and two quantiles. of returns the quantiles of a map;
// unknown ones leave a gap.
func quantilesOf(all []stream.Stats, title string, of func(i int) (q stream.Quantiles, known bool)) plot.Panel {
	p := plot.Panel{Title: title}
	for _, q := range []struct {
		name string
		of   func(stream.Quantiles) float64
	}{
		{"median", func(q stream.Quantiles) float64 { return q.Median }},
		{"90%", func(q stream.Quantiles) float64 { return q.P90 }},
		{"99%", func(q stream.Quantiles) float64 { return q.P99 }},
	} {
		s := plot.Series{Name: q.name}
		for i := range all {
			value := math.NaN()
			if v, known := of(i); known {
				value = q.of(v)
			}
			s.Values = append(s.Values, value)
		}
		p.Series = append(p.Series, s)
	}
	return p
}
