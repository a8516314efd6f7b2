package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
)

// writeSettings writes how everything was measured.
func (b *bench) writeSettings(w *bytes.Buffer) {
	fmt.Fprintf(w, `## How it is measured

- **Input**: the data, or their %d leading principal components if they have more values; the same file for all methods.
- **Seeds**: every method makes each map from seeds 1 to %d. Figures are medians. Their standard error is that of a mean
  over the seeds and that of the figure's own sample, together. The last row of a table has the largest of a column. A figure
  is first, and bold, if no other is ahead of it by more than two standard errors of their difference. Times and pictures are
  of seed 1.
- **R_NX**: how many of a point's K nearest the map keeps, beyond what a random one keeps, for all K: the area under that
  curve over log K (Lee, Peluffo, Verleysen 2015). **Recall 10, 30, 100**: the share of so many nearest that is kept.
- **Trustworthiness, continuity**: of %d neighbours. These and the two above are against the data themselves: of all points up
  to %s rows, else of a sample of %s (seed 1), ranked against all.
- **Shepard**: Spearman's correlation of the distances of pairs, **triplets**: the share of triples of points in which the map
  and the data agree on which of two is nearer to the third; of all, or of so many drawn that their errors are small.
  **Centroids**: Spearman's correlation of the distances between the classes' centroids. **True distances**: of distances on
  the map with those between the true places.
- **1-NN, 9-NN**: share of points whose label is the vote of their nearest labelled neighbours on the map, each left out
  in turn, with the binomial standard error. Of sets without labels, the root mean square error of the known numbers, each
  predicted by the mean of its neighbours, relative to its standard deviation (less is better; the mean over the numbers).
- **Embedding**: seconds from vectors in memory to the map, neighbour search included, with all libraries loaded and, of
  the peers, all code compiled by a rehearsal. **Whole**: seconds from the start of the process to the written map;
  of the peers with imports and compilation, as in a process that runs for the first time. Each time has the share of
  the processors that other processes took meanwhile; of more than %.0f %% the time is not shown, but "%s".
- unfold makes every map of the data sets' tables twice, and the two must be equal to the last bit.

| method | version | settings |
|---|---|---|
`, inputDims, seedCount, rankNeighbors, thousands(allPoints), thousands(samplePoints), 100*harness.Quiet, harness.Busy)
	for _, m := range methods() {
		version := "this one"
		if m.peer {
			version = b.version(m)
		}
		if version != "" {
			fmt.Fprintf(w, "| %s | %s | %s |\n", m.title, version, m.settings)
		}
	}
	if b.version(method{key: dreamsPCA})+b.version(method{key: dreamsMDS}) != "" {
		w.WriteString(dreamsHow)
	}
	w.WriteString("\nA part of it: `make quality ARGS=\"-only mnist,usps -keep\"`; its other flags: `make quality ARGS=-h`.\n")
}

// version returns the versions of a peer in its measurements.
func (b *bench) version(m method) string {
	var all []string
	for name, r := range b.results {
		if _, key, _ := strings.Cut(name, "/"); key == m.key {
			all = append(all, r.Version)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// dreamsHow describes how the peer that is implemented here was made.
const dreamsHow = `
DREAMS (Kury, Kobak, Damrich, arXiv 2508.13747) is t-SNE that is held near an embedding R of the whole. It minimises
(1-lambda) KL + lambda/n |Y - alpha R|^2 with alpha = |Y|/|R|. Its authors' program is a changed openTSNE, published as source.
So its step is written here (bench/quality/dreams.py), around the gradient, the step sizes and the schedule of the openTSNE in
the table. With lambda 0 it gives openTSNE's own map, which a test holds. The rest is as in that program: lambda is .1, the
step towards R has it twice, and momentum is of t-SNE alone. The map starts from R, brought to deviation 1. R is made of the
leading principal components, or by SQuad-MDS (Lambert, de Bodt, Verleysen, Lee 2022) with the settings of its authors'
program. Making R counts in the times.
`
