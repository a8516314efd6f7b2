package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"

	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/fit"
)

// bounds draws the bound from a report of kind lllvm: against the number of neighbours, and over
// the iterations of the selected start.
func (c *plotCmd) bounds(p *program, format pictureFormat, s plot.Settings) error {
	raw, err := os.ReadFile(c.Bounds)
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // avoid naming the file twice
	}
	if err != nil {
		return table.InFile(c.Bounds, models.BadInputf("%w", err))
	}
	var report struct {
		Model fit.LocallyLinear `json:"model"`
	}
	if err := json.Unmarshal(raw, &report); err != nil || len(report.Model.Runs) == 0 {
		return table.InFile(c.Bounds, models.BadInputf("this is no report of a fit of kind %s, as fit --report writes it", fit.LLLVM))
	}
	course, byK := boundsOf(report.Model)
	h, also := byK, ""
	if len(byK.At) < 2 { // with one number of neighbours, draw only the iterations
		h, also = course, ", by iteration"
	}
	h.Subtitle = humanize.Plural(len(report.Model.Runs), "start") + also
	return c.panels(p, format, s, h, strings.TrimSuffix(filepath.Base(c.Bounds), filepath.Ext(c.Bounds)))
}

// boundsOf returns the bounds as two pictures. It skips the first iterations, whose values would
// dwarf the others.
func boundsOf(m fit.LocallyLinear) (course, byK plot.History) {
	course = plot.History{Along: "iteration", Panels: []plot.Panel{{Title: "Bound", Relative: true}}}
	line := plot.Series{Name: "bound"}
	for i, b := range m.Bounds {
		if i >= len(m.Bounds)/10 {
			course.At, line.Values = append(course.At, float64(i+1)), append(line.Values, b)
		}
	}
	course.Panels[0].Series = []plot.Series{line}

	byK = plot.History{Along: "neighbours", Panels: []plot.Panel{{Title: "Bound", Relative: true}}, Marks: []float64{float64(m.Runs[m.Best].Neighbors)}}
	best, mean, worst := plot.Series{Name: "best"}, plot.Series{Name: "mean"}, plot.Series{Name: "worst"}
	for i := 0; i < len(m.Runs); {
		k, n, sum, low, high := m.Runs[i].Neighbors, 0, 0.0, math.Inf(1), math.Inf(-1)
		for ; i < len(m.Runs) && m.Runs[i].Neighbors == k; i++ {
			b := m.Runs[i].Bound
			n, sum, low, high = n+1, sum+b, min(low, b), max(high, b)
		}
		byK.At = append(byK.At, float64(k))
		best.Values, mean.Values, worst.Values = append(best.Values, high), append(mean.Values, sum/float64(n)), append(worst.Values, low)
	}
	byK.Panels[0].Series = []plot.Series{best}
	if len(m.Runs) > len(byK.At) {
		byK.Panels[0].Series = []plot.Series{best, mean, worst}
	}
	return course, byK
}
