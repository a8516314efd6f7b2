package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// twosMaps is figure 8: the places of the learnt twos for each noise model, with the models of the
// first row of twosOrder.
func twosMaps(ctx context.Context, b *bench) (string, error) {
	d, err := b.removed(inkFrom, twosLearnt, twosSeed)
	if err != nil {
		return "", err
	}
	t, one := trials()[0], make([]int, d.train.Rows)
	var pictures []string
	for _, c := range []struct {
		title string
		noise int
	}{{"Gaussian noise", 1}, {"Probit noise", 0}} {
		p, err := b.twosPlaces(ctx, t, d, noises[c.noise])
		if err != nil {
			return "", err
		}
		a, err := b.twosProcess(ctx, t, p, d.train, c.noise)
		if err != nil {
			return "", err
		}
		name := "twos-" + noises[c.noise].Name() + ".png"
		if err := shade(filepath.Join(b.figures, name), a, d.train.Cols, p.X, one); err != nil {
			return "", err
		}
		pictures = append(pictures, fmt.Sprintf("![%s](gplvm/%s)", c.title, name))
	}
	return fmt.Sprintf(`The places of the %d learnt twos, with an active set of %d, on the precision of the model's predictions. Left: Gaussian noise
(figure 8 a). Right: probit noise (figure 8 b), with a covariance for each pixel; the shade is the mean of their logarithms.

%s
`, d.train.Rows, twosActive, strings.Join(pictures, " ")), nil
}
