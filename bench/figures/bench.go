package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"unfold/bench/internal/harness"
)

// bench runs the program on data and collects figures.
type bench struct {
	unfold, data string

	dir     string // temporary
	log     io.Writer
	figures []figure
}

// figure is one measured number with its target.
type figure struct {
	what   string
	value  float64
	target harness.Bound
}

// report is the needed part of the output of fit --report.
type report struct {
	Edges     int     `json:"edges"`
	Landmarks int     `json:"landmarks"`
	Initial   float64 `json:"loglik_initial"`
	Final     float64 `json:"loglik"`
	LOO1      float64 `json:"loo1"`
	LOO9      float64 `json:"loo9"`
	Trust     float64 `json:"trustworthiness"`
	Peak      float64 `json:"peak_rss_bytes"`
	Search    string  `json:"search"`
	Recall    float64 `json:"search_recall"`
	// Seconds of the stages, and in total including the report's own accuracies.
	Seconds map[string]float64 `json:"seconds"`
}

// learning returns the time from the input files to the written map. Scoring the map for the report
// is excluded here, but included in the total.
func (r *report) learning() (seconds float64) {
	for stage, s := range r.Seconds {
		if stage != "total" {
			seconds += s
		}
	}
	return seconds
}

func (b *bench) measure(ctx context.Context, page string, log io.Writer) (missed int, err error) {
	b.log = log
	if b.dir, err = os.MkdirTemp("", "unfold-figures-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(b.dir)
	plane, err := b.joint(ctx)
	if err != nil {
		return 0, err
	}
	for _, d := range []struct {
		dims, core string
		target     float64
	}{{"2", "1", 3.8}, {"10", "2", 3.0}} {
		if err := b.placed(ctx, d.dims, d.core, d.target); err != nil {
			return 0, err
		}
	}
	if err := b.demo(ctx); err != nil {
		return 0, err
	}
	for _, f := range b.figures {
		if f.target.Verdict(f.value) == harness.Missed {
			missed++
		}
	}
	return missed, os.WriteFile(page, b.page(plane), 0o666)
}

// joint fits all 70,000 digits in two dimensions, then in ten.
func (b *bench) joint(ctx context.Context) (report, error) {
	var r report
	// Its accuracies are of all rows. In ten dimensions only time and memory are needed, so a
	// sample suffices.
	if err := b.fit(ctx, "all", &r, append(b.images("train", "t10k"), "--report-exact")); err != nil {
		return r, err
	}
	const reference = -231_417
	b.add("log-likelihood, per cent from the reference", 100*abs(r.Final-reference)/-reference, "%", false, 3)
	b.add("leave-one-out accuracy, 1-NN", r.LOO1, "", true, 0.93)
	b.add("leave-one-out accuracy, 9-NN", r.LOO9, "", true, 0.955)
	b.add("time from files to written map, d = 2", r.learning(), " s", false, 120)
	b.add("peak memory, d = 2", r.Peak/1e9, " GB", false, 1.5)
	var ten report
	if err := b.fit(ctx, "all10", &ten, append(b.images("train", "t10k"), "--dims", "10", "--core", "2")); err != nil {
		return r, err
	}
	errors, err := b.score(ctx, b.file("all10.parquet"), "--train-rows", "60000")
	if err != nil {
		return r, err
	}
	b.add("9-NN test error of the joint map, d = 10, s = 2", 100*errors, "%", false, 2.6)
	b.add("time from files to written map, d = 10, s = 2", ten.learning(), " s", false, 120)
	b.add("peak memory, d = 10, s = 2", ten.Peak/1e9, " GB", false, 1.5)
	return r, nil
}

// placed fits the 60,000 training digits and places the 10,000 others.
func (b *bench) placed(ctx context.Context, dims, core string, target float64) error {
	var r report
	name := "train" + dims
	if err := b.fit(ctx, name, &r, append(b.images("train"), "--dims", dims, "--core", core)); err != nil {
		return err
	}
	test := b.file("test" + dims + ".parquet")
	args := append([]string{"embed", "-q", "-m", b.file(name + ".unfold"), "-o", test}, b.images("t10k")...)
	if _, err := b.run(ctx, args...); err != nil {
		return err
	}
	errors, err := b.score(ctx, test, "--train", b.file(name+".parquet"))
	if err != nil {
		return err
	}
	b.add(fmt.Sprintf("9-NN test error of placed events, d = %s, s = %s", dims, core), 100*errors, "%", false, target)
	return nil
}

var auc = regexp.MustCompile(`AUC by novelty_(global|local)\s+([0-9.]+)`)

// demo runs the demo and reads the figures that it prints.
func (b *bench) demo(ctx context.Context) error {
	out, err := b.run(ctx, "demo", "--out", b.file("demo"))
	if err != nil {
		return err
	}
	found := auc.FindAllStringSubmatch(out, -1)
	if len(found) != 2 {
		return fmt.Errorf("the demo printed %d AUC figures, want 2:\n%s", len(found), out)
	}
	for _, m := range found {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return err
		}
		target := map[string]float64{"global": .95, "local": .85}[m[1]]
		b.add("AUC of attacks against normal connections by novelty_"+m[1], v, "", true, target)
	}
	return nil
}

func (b *bench) fit(ctx context.Context, name string, r *report, args []string) error {
	args = append([]string{"fit", "-q", "--tails", "gaussian", "-o", b.file(name + ".unfold"), "--map", b.file(name + ".parquet"),
		"--report", b.file(name + ".json")}, args...)
	if _, err := b.run(ctx, args...); err != nil {
		return err
	}
	text, err := os.ReadFile(b.file(name + ".json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, r)
}

// score returns the 9-NN error of test points classified by training points.
func (b *bench) score(ctx context.Context, args ...string) (float64, error) {
	out, err := b.run(ctx, append([]string{"score", "-q", "--json"}, args...)...)
	if err != nil {
		return 0, err
	}
	var s struct {
		HeldOut struct {
			K     []int     `json:"k"`
			Error []float64 `json:"error"`
		} `json:"held_out"`
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		return 0, err
	}
	at := slices.Index(s.HeldOut.K, 9)
	if at < 0 || at >= len(s.HeldOut.Error) {
		return 0, fmt.Errorf("no 9-NN error in %s", out)
	}
	return s.HeldOut.Error[at], nil
}

// images returns the arguments for parts of MNIST with their labels.
func (b *bench) images(parts ...string) []string {
	var images, labels []string
	for _, p := range parts {
		images = append(images, filepath.Join(b.data, "mnist", p+"-images-idx3-ubyte.gz"))
		labels = append(labels, "--label-file", filepath.Join(b.data, "mnist", p+"-labels-idx1-ubyte.gz"))
	}
	return append(images, labels...)
}

func (b *bench) run(ctx context.Context, args ...string) (string, error) {
	return harness.Output(ctx, b.log, b.unfold, args...)
}

func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// add adds a figure. above is true if the target is a lower bound.
func (b *bench) add(what string, value float64, unit string, above bool, target float64) {
	b.figures = append(b.figures, figure{what, value, harness.Bound{Value: target, Above: above, Format: "%.4g", Unit: unit}})
}

func abs(v float64) float64 { return max(v, -v) }
