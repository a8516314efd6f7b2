package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeTried prints a line for every map of the tried methods, of our default, and of all methods
// with results, followed by every method's means over the common sets.
func (b *bench) writeTried(w io.Writer, sets []*prepared) error {
	columns := b.measuredColumns(sets)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "set\tmap\t")
	for _, f := range columns {
		fmt.Fprintf(t, "%s\t", f.title)
	}
	fmt.Fprintln(t, "seconds\t")
	for _, p := range sets {
		if !b.wants(p.name) {
			continue
		}
		for _, m := range b.methods() {
			r := b.results[mapName(p.name, m.key, 1)]
			if r == nil {
				continue
			}
			title := m.title
			if r.Run != b.run {
				title += ", earlier" // of another run, and perhaps of another build
			}
			fmt.Fprintf(t, "%s\t%s\t", p.name, title)
			for _, f := range columns {
				if v, ok := r.Figures[f.key]; ok {
					fmt.Fprintf(t, "%.4f", v)
				}
				fmt.Fprint(t, "\t")
			}
			fmt.Fprintf(t, "%.1f\t\n", r.Figures[whole])
		}
	}
	b.writeMeans(t, sets, columns)
	return t.Flush()
}

// measuredColumns returns the figures that some map has.
func (b *bench) measuredColumns(sets []*prepared) (columns []figure) {
	has := map[string]bool{}
	for _, r := range b.results {
		for key := range r.Figures {
			has[key] = true
		}
	}
	for _, f := range append(structure(), figure{density, "density", false}, figure{centroids, "centroids", false}, figure{nn1, "1-NN", false}, figure{nn9, "9-NN", false}, figure{truth, "true distances", false}) {
		if has[f.key] {
			columns = append(columns, f)
		}
	}
	return columns
}

// writeMeans prints the means of the structure figures over sets. Figures of neighbours are not
// comparable between sets.
func (b *bench) writeMeans(w io.Writer, sets []*prepared, columns []figure) {
	shared := b.shared(sets)
	if len(shared) < 2 {
		return
	}
	for _, m := range b.present(sets) {
		fmt.Fprintf(w, "mean of %d\t%s\t", len(shared), m.title)
		for _, f := range columns {
			if v, ok := b.mean(shared, m.key, f); ok {
				fmt.Fprintf(w, "%.4f", v)
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w, "\t")
	}
}

// present returns the methods with results.
func (b *bench) present(sets []*prepared) (out []method) {
	for _, m := range b.methods() {
		if m.sets != nil {
			continue
		}
		for _, p := range sets {
			if b.wants(p.name) && b.results[mapName(p.name, m.key, 1)] != nil {
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// shared returns the sets with results of all present methods.
func (b *bench) shared(sets []*prepared) (out []*prepared) {
	all := b.present(sets)
	for _, p := range sets {
		n := 0
		for _, m := range all {
			if b.wants(p.name) && b.results[mapName(p.name, m.key, 1)] != nil {
				n++
			}
		}
		if n > 0 && n == len(all) {
			out = append(out, p)
		}
	}
	return out
}
