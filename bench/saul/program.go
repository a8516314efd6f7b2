package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/sheet"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/vec"
)

// fitted is the needed part of a fit's report.
type fitted struct {
	N      int     `json:"n"`
	Edges  int     `json:"edges"`
	Loglik float64 `json:"loglik"`
	// CPU is the processor time of the command from its start to the report, in seconds.
	CPU float64 `json:"cpu_seconds"`
}

// steps is the number of iterations in the paper's experiments. By default the program stops when
// the likelihood hardly rises.
const steps = 400

// run runs the program and returns what it prints.
func (b *bench) run(ctx context.Context, args ...string) (string, error) {
	return harness.Output(ctx, b.log, b.unfold, args...)
}

// fit learns NAME.parquet with the model as published. args are the input files.
func (b *bench) fit(ctx context.Context, name string, args ...string) (f fitted, err error) {
	args = append([]string{"fit", "-q", "--tails", "gaussian", "--steps", strconv.Itoa(steps), "-o", b.file(name + ".unfold"), "--map", b.file(name + ".parquet"),
		"--report", b.file(name + ".json")}, args...)
	if _, err := b.run(ctx, args...); err != nil {
		return f, err
	}
	text, err := os.ReadFile(b.file(name + ".json"))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// components returns the first principal components of the same rows as a map.
func (b *bench) components(ctx context.Context, dims int, args ...string) (*emit.Map, error) {
	args = append([]string{"fit", "-q", "--kind", "pca", "--dims", strconv.Itoa(dims), "-o", b.file("pca.unfold"), "--map", b.file("pca.parquet")}, args...)
	if _, err := b.run(ctx, args...); err != nil {
		return nil, err
	}
	return b.places(ctx, "pca")
}

// leading returns the first d columns.
func leading(x vec.Matrix[float32], d int) vec.Matrix[float32] {
	out := vec.New[float32](x.Rows, d)
	for i := range x.Rows {
		copy(out.Row(i), x.Row(i))
	}
	return out
}

// places reads a map.
func (b *bench) places(ctx context.Context, name string) (*emit.Map, error) {
	return ingest.ReadMap(ctx, b.file(name+".parquet"), ingest.Options{})
}

// plot draws the map NAME into the page's folder as the given figure, with few colours.
func (b *bench) plot(ctx context.Context, name, figure, title string, args ...string) error {
	drawn := b.file("plot.png")
	if _, err := b.run(ctx, append([]string{"plot", "-q", b.file(name + ".parquet"), "-o", drawn, "--title", title, "--width", "600", "--height", "560"}, args...)...); err != nil {
		return err
	}
	img, err := sheet.Read(drawn)
	if err != nil {
		return err
	}
	return sheet.Few(b.figure(figure), img)
}

// votes returns the share of test points whose nearest training points on the map vote for another
// class, by the number of voters.
func (b *bench) votes(ctx context.Context, name string, train int) (wrong map[int]float64, err error) {
	out, err := b.run(ctx, "score", "-q", "--json", b.file(name+".parquet"), "--train-rows", strconv.Itoa(train))
	if err != nil {
		return nil, err
	}
	var s struct {
		HeldOut struct {
			K     []int     `json:"k"`
			Error []float64 `json:"error"`
		} `json:"held_out"`
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		return nil, err
	}
	wrong = map[int]float64{}
	for i, k := range s.HeldOut.K {
		wrong[k] = s.HeldOut.Error[i]
	}
	return wrong, nil
}

const head = `# A tractable latent variable model for nonlinear dimensionality reduction

The experiments of L. K. Saul (PNAS 2020), with the published model (` + "`--tails gaussian`" + `) and the paper's settings: k neighbours, core s, l levels of
coarse-graining, %d iterations. ` + "`make saul`" + ` writes this page. The program's default is another model, with heavy tails ([quality.md](quality.md)).
Numbers from the paper's text are next to ours; most of its results are pictures.

Digits are those of MNIST, by their first 50 principal components, for training and for testing on one map. The paper has all 70000;
each section states its number. Errors are those of test digits by the training digits nearest on the map. Times are
processor times of whole commands, summed over threads, with reading and with scoring the map for the report.
`

// page writes the page of the experiments with results.
func (b *bench) page(path string) error {
	text := fmt.Sprintf(head, steps)
	for i, s := range sections() {
		raw, err := os.ReadFile(b.result(experiments[i].name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(raw, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.result(experiments[i].name), err)
		}
		text += "\n" + s.markdown(b)
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// percent formats a share for the page.
func percent(v float64) string { return fmt.Sprintf("%.2f %%", 100*harness.Shown("%.4f", v)) }
