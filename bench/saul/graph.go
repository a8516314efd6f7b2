package main

import (
	"context"
	"fmt"
	"strconv"
)

// graphResult is figure S5: the number of neighbours and the core.
type graphResult struct {
	K, S  []int
	Cells []graphCell // by rows of k
}

type graphCell struct {
	K, S         int
	Edges        int
	Wrong1       float64 // share of test digits, by the nearest training digit
	Wrong9       float64
	LearningTime float64
}

func byGraph(ctx context.Context, b *bench) (*graphResult, error) {
	args, train, err := b.images(b.digits)
	if err != nil {
		return nil, err
	}
	r := &graphResult{K: []int{5, 9, 18}, S: []int{1, 2, 3}}
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
			r.Cells = append(r.Cells, graphCell{k, s, f.Edges, wrong[1], wrong[9], f.learning()})
			if err := b.plot(ctx, "graph", fmt.Sprintf("graph-k%d-s%d.png", k, s), fmt.Sprintf("k = %d, s = %d", k, s), small...); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

func (r *graphResult) markdown(b *bench) string {
	text := `## Figure S5: neighbours and the core

l = 1. The paper's figure has the 1-NN error of test digits and finds that k decides how tight clusters are, and that s hardly changes the
picture but does change the error.

| k | s | edges | 1-NN error | 9-NN error | time |
|---|---|---|---|---|---|
`
	for _, c := range r.Cells {
		text += fmt.Sprintf("| %d | %d | %d | %s | %s | %.0f s |\n", c.K, c.S, c.Edges, percent(c.Wrong1), percent(c.Wrong9), c.LearningTime)
	}
	text += "\n"
	for i, c := range r.Cells {
		text += fmt.Sprintf("![k = %d, s = %d](%s)", c.K, c.S, b.link(fmt.Sprintf("graph-k%d-s%d.png", c.K, c.S)))
		text += map[bool]string{true: "\n", false: " "}[(i+1)%len(r.S) == 0]
	}
	return text
}
