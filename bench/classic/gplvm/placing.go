package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
)

// placings compares methods of placing new vectors on a learnt map: the most likely place, and a
// smooth map (back-constraints).
func placings(ctx context.Context, b *bench) (string, error) {
	y, label, err := flows(b.oil, "Trn")
	if err != nil {
		return "", err
	}
	fresh, kind, err := flows(filepath.Join(b.data, "oil"), "Tst")
	if err != nil {
		return "", err
	}
	c, err := b.kept(ctx, "oil-"+gplvm.StartPCA, y, task{kernel: rbf, start: gplvm.StartPCA, steps: oilLBFGS, label: label})
	if err != nil {
		return "", err
	}
	a, err := c.predictor()
	if err != nil {
		return "", err
	}
	likely, err := b.locate(ctx, a, fresh, y, c.point.X, 3)
	if err != nil {
		return "", err
	}
	begin := time.Now()
	back, err := gplvm.NewBack(y, c.point.X, b.threads)
	if err != nil {
		return "", err
	}
	took := seconds(begin)
	smooth := &located{x: vec.New[float64](fresh.Rows, 2), mean: vec.New[float64](fresh.Rows, fresh.Cols)}
	s := back.NewScratch()
	begin = time.Now()
	for i := range fresh.Rows {
		back.Place(smooth.x.Row(i), fresh.Row(i), s)
	}
	smooth.seconds = time.Since(begin).Seconds() / float64(fresh.Rows)
	w, variance := a.NewScratch(), make([]float64, fresh.Cols)
	for i := range fresh.Rows {
		a.Predict(smooth.mean.Row(i), variance, smooth.x.Row(i), w)
		vec.Axpy(1, a.Bias(), smooth.mean.Row(i))
	}
	t := newTable("1000 test flows", "errors of kind", "error of an element", "time of a flow")
	for _, l := range []struct {
		name string
		*located
	}{{"where it is most likely, from 3 starts", likely}, {"by a smooth map", smooth}} {
		wrong, square := 0, 0.0
		for i := range fresh.Rows {
			if label[nearest(l.x.Row(i), c.point.X, 1)[0]] != kind[i] {
				wrong++
			}
			square += vec.SquaredDistance(l.mean.Row(i), fresh.Row(i))
		}
		t.row(l.name, fmt.Sprint(wrong), fmt.Sprintf("%.4f", math.Sqrt(square/float64(len(fresh.Data)))), fmt.Sprintf("%.0f µs", 1e6*l.seconds))
	}
	return fmt.Sprintf(`New flows on the map of the full model from principal components, of 1000 learnt ones, in two ways: by optimising their
likelihood, and by a smooth map from vectors to places that is fitted to the learnt ones (%s; its leave-one-out error is
%.2f). Errors of kind are those of the nearest learnt flow on the map; the error of an element is the root mean square difference between
the model's prediction at the place and the flow. Times are of one thread.

%s`, took, back.Residual, t.String()), nil
}
