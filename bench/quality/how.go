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

- **Input**: the vectors as given, with the metric that they are made for. UMAP, PaCMAP and openTSNE also get the %d leading principal components
  of data with more values, and the map of the larger R_NX counts: "%d components" in the tables. DREAMS gets these components. Rows compared by angle have length 1 before their
  components are taken.
- **Seeds**: every method makes each map from seeds 1 to %d. The standard error of a median combines the errors over seeds and of the figure's sample; the last row of a table has the largest of each column. A figure is bold if no other is ahead by more than two standard errors of
  their difference. Times and pictures are of seed 1.
- **R_NX**: the share of a point's K nearest that the map keeps, beyond chance, for all K: the area under that curve over log K (Lee,
  Peluffo, Verleysen 2015). **Recall 10, 30, 100**: the share kept of the 10, 30 or 100 nearest.
- **Trustworthiness, continuity**: of %d neighbours. These and the two above compare the map with the data: for all points up to %s rows, else for a sample of %s (seed 1), ranked against all.
- **Shepard**: Spearman's correlation of the distances of pairs. **Triplets**: the share of triples of points for which map and data agree which of two points is nearer to the third. **Centroids**: Spearman's correlation of the distances between the classes' centroids.
  **True distances**: the same correlation, of distances on the map and between the true places.
- **1-NN, 9-NN**: share of points whose label is the vote of their nearest neighbours on the map, with the binomial standard error. On sets without labels: the root mean square error of the known numbers, predicted by the mean of the neighbours, relative to their standard deviation (less is better).
- **Embedding**: seconds from vectors in memory to the map, with all libraries loaded and all code compiled. **Whole**: seconds from the
  start of the process to the written map. If other processes took more than %.0f %% of the processors, the time is "%s".
- unfold makes every map of the tables twice; the two are equal to the last bit.

| method | version | settings |
|---|---|---|
`, reducedDims, reducedDims, seedCount, rankNeighbors, thousands(allPoints), thousands(samplePoints), 100*harness.Quiet, harness.Busy)
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
DREAMS (Kury, Kobak, Damrich, arXiv 2508.13747) is t-SNE held near an embedding R of the whole. It minimises
(1-lambda) KL + lambda/n |Y - alpha R|^2 with alpha = |Y|/|R|. bench/quality/dreams.py has its step, around the gradient, step sizes and
schedule of openTSNE; with lambda 0 it gives openTSNE's own map. As in its authors' program lambda is .1, counts twice in the step towards R, and only t-SNE has momentum. The map starts from R, scaled to deviation 1. R is the leading principal components, or a map by SQuad-MDS (Lambert, de Bodt, Verleysen, Lee 2022). Times include making R.
`
