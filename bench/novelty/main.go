package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/score"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

// bench is one run of the command.
type bench struct {
	data                string
	rows, each, threads int
	log                 io.Writer
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("novelty", stderr)
	b := &bench{log: stderr}
	flags.Data(&b.data, "mnist/, usps/, nslkdd/, oil/ and glosses/")
	page := flags.String("o", filepath.Join("docs", "novelty.md"), "the page to write")
	flags.IntVar(&b.rows, "rows", 1500, "rows that a map is learnt from")
	flags.IntVar(&b.each, "each", 500, "rows of seen and of unseen classes that are scored")
	flags.IntVar(&b.threads, "threads", 2, "threads of a fit")
	small := flags.Bool("small", false, "the bundled sample, in seconds: to see that it works")
	if flags.Parse(args) != nil || !*small && !flags.HasData(b.data) {
		return 2
	}
	list := sets
	if *small {
		list, b.rows, b.each = bundled, 300, 100
	}
	var all []*outcome
	for _, s := range list {
		o, err := b.measure(ctx, s)
		if err != nil {
			return flags.End(err)
		}
		all = append(all, o)
	}
	return flags.End(write(*page, all))
}

// kinds of maps that are measured. The Gaussian process learns a sample of 300 points in 60 steps.
var kinds = []struct {
	name string
	spec fit.Spec
}{
	{"default", fit.Spec{}},
	{"`--tails gaussian`", fit.Spec{LVM: lvm.Options{Tails: lvm.Gaussian}}},
	{"`gplvm`", fit.Spec{Kind: fit.GPLVM, GPLVM: gplvm.Options{Points: 300}, Common: models.Common{Steps: 60}}},
}

// scores are areas under the curve of one kind of map, means over the folds.
type scores struct{ LogLik, Global, Local float64 }

// outcome has the figures of a data set, by kind.
type outcome struct {
	set                set
	dim, learnt, folds int
	seen, unseen       int
	kinds              []scores
}

// measure fits maps of the folds of a set by every kind.
func (b *bench) measure(ctx context.Context, s set) (*outcome, error) {
	r, err := s.read(ctx, b.data)
	if err != nil {
		return nil, err
	}
	folds := r.folds(s, b.rows, b.each)
	o := &outcome{set: s, dim: len(r.values[0]), learnt: folds[0].learnt.Rows, folds: len(folds), seen: folds[0].seen.Rows, unseen: folds[0].unseen.Rows, kinds: make([]scores, len(kinds))}
	for _, f := range folds {
		if s.normal != "" {
			f.standardise()
		}
		for k, kind := range kinds {
			if s.normal != "" && kind.spec.Kind == fit.GPLVM {
				// Some columns are constant in a sample of normal connections, which the model refuses.
				kind.spec.PCA = 20
			}
			got, err := b.fold(ctx, kind.spec, f)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.key, kind.name, err)
			}
			fmt.Fprintf(b.log, "%s, %s: loglik %.4f, novelty_global %.4f, novelty_local %.4f\n", s.key, kind.name, got.LogLik, got.Global, got.Local)
			n := float64(len(folds))
			o.kinds[k].LogLik += got.LogLik / n
			o.kinds[k].Global += got.Global / n
			o.kinds[k].Local += got.Local / n
		}
	}
	return o, nil
}

// fold fits one map and scores the two lots.
func (b *bench) fold(ctx context.Context, spec fit.Spec, f fold) (out scores, err error) {
	spec.Seed, spec.Threads = 1, b.threads
	s, _, err := fit.Fit(ctx, f.learnt, spec, nil)
	if err != nil {
		return out, err
	}
	s.Version = 1
	p, err := fit.Open(s, placing.Options{Threads: b.threads})
	if err != nil {
		return out, err
	}
	var novel [2][3][]float64 // of both lots
	for l, x := range []vec.Matrix[float32]{f.seen, f.unseen} {
		at, err := p.Place(ctx, x)
		if err != nil {
			return out, err
		}
		logLik, err := p.(models.Likely).LogLik(ctx, x, at)
		if err != nil {
			return out, err
		}
		for c, column := range [3][]float32{logLik, at.NoveltyGlobal, at.NoveltyLocal} {
			for _, v := range column {
				if c == 0 {
					v = -v
				}
				novel[l][c] = append(novel[l][c], float64(v))
			}
		}
	}
	var auc [3]float64
	for c := range auc {
		if auc[c], err = score.AUC(novel[1][c], novel[0][c]); err != nil || math.IsNaN(auc[c]) {
			return out, fmt.Errorf("area under the curve %v: %w", auc[c], err)
		}
	}
	return scores{auc[0], auc[1], auc[2]}, nil
}
