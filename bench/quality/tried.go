package main

import (
	"fmt"
	"io"
	"slices"
)

// writeTried prints a line for every map of what was tried and of all methods that
// there are results of.
func (b *bench) writeTried(w io.Writer, sets []*prepared) error {
	for _, p := range sets {
		if !b.wants(p.name) {
			continue
		}
		columns := p.quality()
		if _, err := fmt.Fprintf(w, "\n%-28s", p.name); err != nil {
			return err
		}
		for _, f := range columns {
			fmt.Fprintf(w, " %10.10s", f.title)
		}
		fmt.Fprintf(w, " %10s %10s\n", "embedding", "whole")
		for _, m := range slices.Concat(methods(), b.tried) {
			r := b.results[p.name+"/"+m.key]
			if r == nil {
				continue
			}
			fmt.Fprintf(w, "  %-26s", m.title)
			for _, f := range columns {
				fmt.Fprintf(w, " %10.4f", r.Figures[f.key])
			}
			fmt.Fprintf(w, " %10.1f %10.1f\n", r.Figures[embed], r.Figures[whole])
		}
	}
	return nil
}
