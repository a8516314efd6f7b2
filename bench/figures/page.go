package main

import (
	"bytes"
	"fmt"
	"runtime"
)

// page returns the figures as Markdown. plane is the fit of all digits in 2-D.
func (b *bench) page(plane report) []byte {
	var p bytes.Buffer
	fmt.Fprintf(&p, `# Figures

Measured by `+"`make figures`"+` (bench/figures) through the command line, on %d cores (%s/%s, %s). The targets come from
an independent reference implementation of the model as published, which is what is measured (`+"`--tails gaussian`"+`), with
some room.

MNIST is its 70,000 digits of 784 values, projected to 50 components, k = 9, 400 steps, momentum 0.9. "Joint" maps hold
all of them; "placed" events are the 10,000 test digits on a map learnt from the 60,000 others.

| what | target | measured | |
|---|---|---|---|
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, f := range b.figures {
		fmt.Fprintf(&p, "| %s | %v | %s | %s |\n", f.what, f.target, f.target.Show(f.value), f.target.Verdict(f.value))
	}
	fmt.Fprintf(&p, `
The joint map in two dimensions: %d edges, %d landmarks, log-likelihood from %.0f to %.0f, trustworthiness %.4f; of its
%.1f s the projection took %.1f, the search for neighbours %.1f (%s, recall %.4g), and EM %.1f. Scoring it for the report took
%.1f s more.
`, plane.Edges, plane.Landmarks, plane.Initial, plane.Final, plane.Trust,
		plane.learning(), plane.Seconds["pca"], plane.Seconds["knn"], plane.Search, plane.Recall, plane.Seconds["em"], plane.Seconds["total"]-plane.learning())
	return p.Bytes()
}
