package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"text/template"

	"unfold/bench/internal/harness"
)

// page is the page's text, with placeholders for its figures.
//
//go:embed page.md
var page string

// write makes the page from the results.
func (r *results) write(path string) error {
	t, err := template.New("page").Funcs(template.FuncMap{"table": r.table, "times": r.times, "share": r.share}).Parse(page)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.Execute(&text, r); err != nil {
		return err
	}
	return harness.WritePage(path, text.Bytes())
}

// column is one of a table.
type column struct {
	title, figure, format string
	scale                 float64
}

const megabyte = 1e-6

// columns of the parts.
var columns = map[string][]column{
	"graph": {
		{"CPU s, 1 thread", "cpu", "%.2f", 1}, {"wall s, 2 threads", "wall", "%.2f", 1},
		{"recall@15", "recall", "%.4f", 1}, {"MB beside rows and result", "bytes", "%.1f", megabyte},
	},
	"index": {
		{"build, CPU s", "cpu", "%.3f", 1}, {"MB of the index", "bytes", "%.1f", megabyte}, {"batch, CPU us", "batch", "%.1f", 1},
		{"batch, 2 threads, wall us", "wall", "%.1f", 1}, {"single, CPU us", "single", "%.1f", 1},
		{"recall@15", "batch recall", "%.4f", 1},
		{"strange, CPU us", "strange", "%.1f", 1}, {"recall@15 of strange", "strange recall", "%.4f", 1},
	},
	"change": {
		{"CPU ms", "cpu", "%.1f", 1000}, {"recall@15", "recall", "%.4f", 1}, {"MB", "bytes", "%.1f", megabyte},
	},
}

// table formats all lines of a part. The program's own choices are bold.
func (r *results) table(part string) (string, error) {
	var w strings.Builder
	w.WriteString("| rows | way |")
	for _, c := range columns[part] {
		w.WriteString(" " + c.title + " |")
	}
	w.WriteString("\n|---|---|" + strings.Repeat("---:|", len(columns[part])) + "\n")
	lines := 0
	for _, p := range parts() {
		if p.key != part {
			continue
		}
		for _, rows := range p.cases {
			name := rows.String()
			for _, method := range p.methods {
				l, ok := r.line(part, rows, method)
				if !ok {
					continue
				}
				lines++
				l.row(&w, name, columns[part])
				name = ""
			}
		}
	}
	if lines == 0 {
		return "", fmt.Errorf("nothing of part %q is measured", part)
	}
	return w.String(), nil
}

// row writes a line of a table.
func (l line) row(w *strings.Builder, rows string, columns []column) {
	method := l.Method
	if l.Chosen {
		method = "**" + method + "**"
	}
	fmt.Fprintf(w, "| %s | %s |", rows, method)
	for _, c := range columns {
		if v, ok := l.Figures[c.figure]; ok {
			fmt.Fprintf(w, " "+c.format+" |", v*c.scale)
		} else {
			w.WriteString(" |")
		}
	}
	w.WriteString("\n")
}

// line returns the results of a method.
func (r *results) line(part string, rows set, method string) (line, bool) {
	for _, l := range r.Lines {
		if l.Part == part && l.of(rows) && l.Method == method {
			return l, true
		}
	}
	return line{}, false
}

// figure returns a measured figure.
func (r *results) figure(part string, rows set, method, figure string) (float64, error) {
	if l, ok := r.line(part, rows, method); ok {
		if v, ok := l.Figures[figure]; ok {
			return v, nil
		}
	}
	if r.Small {
		return math.NaN(), nil
	}
	return 0, fmt.Errorf("%s, %v: no %q of %s", part, rows, figure, method)
}

// times returns the ratio of a figure of the first method to the second's.
func (r *results) times(part, data string, n, dim int, a, b, figure string) (string, error) {
	x, err := r.figure(part, set{data: data, n: n, dim: dim}, a, figure)
	if err != nil {
		return "", err
	}
	y, err := r.figure(part, set{data: data, n: n, dim: dim}, b, figure)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.2g", x/y), nil
}

// share formats a figure in percent.
func (r *results) share(part, data string, n, dim int, method, figure string) (string, error) {
	v, err := r.figure(part, set{data: data, n: n, dim: dim}, method, figure)
	return fmt.Sprintf("%.2f%%", 100*v), err
}
