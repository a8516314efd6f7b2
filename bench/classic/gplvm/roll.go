package main

import (
	"context"
	"fmt"
	"path/filepath"

	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
)

const (
	rollPoints = 1500
	rollSteps  = 200
)

// swissRoll is section 7.2.3: a start from neighbourhoods is better than principal components, and
// the likelihood shows it.
func swissRoll(ctx context.Context, b *bench) (string, error) {
	all, err := numbers(b.dataFile(rollFile))
	if err != nil {
		return "", err
	}
	y, along, fifth := vec.New[float64](rollPoints, 3), make([]float64, rollPoints), make([]int, rollPoints)
	for i := range y.Rows {
		row := all.Row(i * (all.Rows / rollPoints))
		copy(y.Row(i), row)
		along[i] = row[3] // 0..100
		fifth[i] = min(int(along[i]/20), 4)
	}
	y = standardized(y)
	t := newTable("start", "log-likelihood", "length recovered", "iterations", "time")
	for _, start := range gplvm.Starts() {
		c, err := b.kept(ctx, "roll-"+start, y, task{kernel: rbf, start: start, steps: rollSteps})
		if err != nil {
			return "", err
		}
		t.row(starts[start], fmt.Sprintf("%.1f", c.LogLik), fmt.Sprintf("%.3f", explained(c.point.X, along)), fmt.Sprint(c.Iterations), c.time())
		a, err := c.predictor()
		if err != nil {
			return "", err
		}
		if err := shade(filepath.Join(b.figures, "roll-"+start+".png"), a, y.Cols, c.point.X, fifth); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(`%d points of the Swiss roll, at most %d iterations of the full model with an rbf kernel. "Length recovered" is the share
of the variance of the true position along the roll that a linear function of the map explains.

%s
![From principal components](gplvm/roll-pca.png) ![From Isomap](gplvm/roll-isomap.png) ![From the graph](gplvm/roll-graph.png)

Maps from principal components, Isomap and the graph; colours are fifths of the true length. In the paper, too, the Isomap start is the
more likely one (-45.2 and -534.0, of other points in other units).
`, rollPoints, rollSteps, t.String()), nil
}
