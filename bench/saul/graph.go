package main

import (
	"context"
	"fmt"
	"strconv"

	"unfold/bench/internal/sheet"
)

// graphResult is figure S5: the number of neighbours and the core.
type graphResult struct {
	Digits int
	K, S   []int
	Cells  []graphCell // by rows of k
}

type graphCell struct {
	K, S   int
	Edges  int
	Wrong1 float64 // share of test digits, from the nearest training digit
	Wrong9 float64
	CPU    float64 // seconds of the fit
}

func byGraph(ctx context.Context, b *bench) (*graphResult, error) {
	args, train, err := b.images(b.digits)
	if err != nil {
		return nil, err
	}
	var maps []sheet.Panel
	r := &graphResult{Digits: b.digits, K: []int{5, 9, 18}, S: []int{1, 2, 3}}
	for _, k := range r.K {
		for _, s := range r.S {
			f, err := b.fit(ctx, "graph", append([]string{"--neighbors", strconv.Itoa(k), "--core", strconv.Itoa(s), "--level", "1", "--dims", "2"}, args...)...)
			if err != nil {
				return nil, err
			}
			wrong, err := b.votes(ctx, "graph", train)
			if err != nil {
				return nil, err
			}
			r.Cells = append(r.Cells, graphCell{k, s, f.Edges, wrong[1], wrong[voters], f.CPU})
			p, err := b.panel(ctx, "graph")
			if err != nil {
				return nil, err
			}
			maps = append(maps, p)
		}
	}
	return r, b.panels("graph.png", len(r.S), maps)
}

func (r *graphResult) markdown(b *bench) string {
	text := fmt.Sprintf(`## Figure S5: neighbours and the core

%s.
l = 1, two dimensions. In the paper clusters are tighter for larger k, within limits; too large k joins distant inputs. s hardly changes the picture, but does change the
1-NN error of test digits.

| k | s | edges | 1-NN error | 9-NN error | time |
|---|---|---|---|---|---|
`, counted(r.Digits))
	for _, c := range r.Cells {
		text += fmt.Sprintf("| %d | %d | %d | %s | %s | %.0f s |\n", c.K, c.S, c.Edges, percent(c.Wrong1), percent(c.Wrong9), c.CPU)
	}
	return text + fmt.Sprintf("\n![Maps by k and s](%s)\n\nThe same: a row for each k, a column for each s.\n", b.link("graph.png"))
}
