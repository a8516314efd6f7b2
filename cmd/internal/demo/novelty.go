package demo

import (
	"context"
	"errors"
	"fmt"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/score"
	"unfold/sparse/graph"
)

// NoveltyFigures measure how well novelty separates attacks from normal traffic: the probability
// that an attack has a higher percentile than a normal connection (area under the ROC curve).
type NoveltyFigures struct {
	Global, Local float64
	// Learnt is the number of normal connections that the map was learnt from; Normal others and
	// Attacks were placed on it. All are distinct.
	Learnt, Normal, Attacks int
}

// Novelty learns a map from half of the normal connections, places the other half and all attacks,
// and compares their novelty. Numbers are logarithms, standardised by the first half. Duplicates
// are merged. Novelty is computed in the input space, so the map needs no learning steps.
func Novelty(ctx context.Context, path string, seed uint64) (NoveltyFigures, error) {
	var f NoveltyFigures
	t, err := readTable(ctx, path)
	if err != nil {
		return f, err
	}
	known, others, err := halves(t)
	if err != nil {
		return f, err
	}
	fitter, err := ingest.NewFitter(ingest.Mapping{
		Columns: []ingest.ColumnSpec{{Name: "*"}, {Name: "-record"}}, Log1p: true, Standardize: true,
		Selection: ingest.Selection{Label: "label"},
	}, t.Schema())
	if err != nil {
		return f, err
	}
	if err := fitter.Add(known); err != nil {
		return f, err
	}
	encoder, err := fitter.Encoder()
	if err != nil {
		return f, err
	}
	learn, err := encoder.Encode(known)
	if err != nil {
		return f, err
	}
	snap, result, err := fit.Fit(ctx, learn.X, fit.Spec{Common: models.Common{Steps: -1, Seed: seed}}, nil)
	if err != nil {
		return f, err
	}
	placer, err := fit.Open(snap, placing.Options{})
	if err != nil {
		return f, err
	}
	test, err := encoder.Encode(others)
	if err != nil {
		return f, err
	}
	f.Learnt = result.Report.Unique
	return f, f.measure(ctx, placer, test)
}

// measure places the distinct test connections and computes the figures.
func (f *NoveltyFigures) measure(ctx context.Context, placer models.Placer, test *ingest.Batch) error {
	unique, _, _ := graph.Collapse(test.X)
	placed, err := placer.Place(ctx, vec.Take(test.X, unique))
	if err != nil {
		return err
	}
	auc := func(scores []float32) (float64, error) {
		var attacks, normal []float64
		for k, row := range unique {
			if test.Label[row] == "normal" {
				normal = append(normal, float64(scores[k]))
			} else {
				attacks = append(attacks, float64(scores[k]))
			}
		}
		f.Normal, f.Attacks = len(normal), len(attacks)
		return score.AUC(attacks, normal)
	}
	if f.Global, err = auc(placed.NoveltyGlobal); err != nil {
		return err
	}
	f.Local, err = auc(placed.NoveltyLocal)
	return err
}

// halves returns every second normal connection, and all other connections.
func halves(t *table.Table) (known, others *table.Table, err error) {
	label, ok := t.Column("label")
	if !ok {
		return nil, nil, errors.New("the connections have no column label")
	}
	var a, b []int
	normal := 0
	for i := range t.Len() {
		if label.Text(i) == "normal" {
			if normal++; normal%2 == 1 {
				a = append(a, i)
				continue
			}
		}
		b = append(b, i)
	}
	if known, err = take(t, a); err != nil {
		return nil, nil, err
	}
	others, err = take(t, b)
	return known, others, err
}

func take(t *table.Table, rows []int) (*table.Table, error) {
	columns := t.Columns()
	for i := range columns {
		var err error
		if columns[i], err = columns[i].Take(rows); err != nil {
			return nil, err
		}
	}
	return table.NewTable(t.Origin, columns...)
}

func readTable(ctx context.Context, path string) (*table.Table, error) {
	r, err := ingest.Open(ctx, path, ingest.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var parts []*table.Table
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, fmt.Errorf("reading connections: %w", err)
		}
		parts = append(parts, t)
	}
	return table.ConcatTables(parts...)
}
