package demo

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"

	"unfold/ingest/emit"
	"unfold/internal/atomicfile"
)

// writeMap writes parts as a file of rows.
func writeMap(path string, parts []part) error {
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, p := range parts {
		if err := w.Write(p.Output); err != nil {
			return err
		}
	}
	return w.Close()
}

// newest returns the parts to draw. They belong to one coordinate frame: the last epoch with at
// least half as many events as the largest. Of these it returns the newest versions that together
// placed half of the events.
func newest(parts []part) (frame []part, epoch uint32) {
	events := map[uint32]int{}
	fullest := 0
	for _, p := range parts {
		events[p.Epoch] += p.Len()
		fullest = max(fullest, events[p.Epoch])
	}
	for e, n := range events {
		if 2*n >= fullest && e > epoch {
			epoch = e
		}
	}
	for _, p := range parts {
		if p.Epoch == epoch {
			frame = append(frame, p)
		}
	}
	from := uint64(0)
	placed := slices.Clone(frame)
	slices.SortStableFunc(placed, func(a, b part) int { return cmp.Compare(b.Version, a.Version) })
	for i, n := 0, 0; i < len(placed) && 2*n < events[epoch]; i++ {
		n += placed[i].Len()
		from = placed[i].Version
	}
	return slices.DeleteFunc(frame, func(p part) bool { return p.Version < from }), epoch
}

// draw draws the map twice, coloured by the label column, if there is one, and by novelty. It
// returns what both pictures show.
func draw(folder string, s *Stream, label string, parts []part) (plot.Drawn, error) {
	var m plot.Map
	var class []string
	var novelty []float64
	for _, p := range parts {
		for i := range p.Len() {
			row := p.Embedding.Row(i)
			m.X, m.Y = append(m.X, float64(row[0])), append(m.Y, float64(row[1]))
			novelty = append(novelty, float64(p.NoveltyGlobal[i]))
		}
		if label != "" {
			class = append(class, column(p, label)...)
		}
	}
	m.Title = s.title
	m.Subtitle = fmt.Sprintf("%s, %s; neighbours on the map are alike in %s", s.From, humanize.Plural(len(m.X), s.Event), s.alike)
	byName := m
	if label != "" {
		byName.By, byName.Class = s.By, class
	}
	if drawn, err := picture(filepath.Join(folder, MapPicture), byName); err != nil {
		return drawn, err
	}
	m.Subtitle = "The same map; the darker, the more novel: percentile of the mean distance to the nearest reference points"
	m.By, m.Value, m.From, m.To = "novelty_global", novelty, 0, 1
	return picture(filepath.Join(folder, NoveltyFile), m)
}

func picture(path string, m plot.Map) (drawn plot.Drawn, err error) {
	err = atomicfile.Write(path, func(w io.Writer) error {
		drawn, err = plot.PNG(w, m, plot.Settings{})
		return err
	})
	return drawn, err
}
