package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"unfold/internal/vec"
)

// The paper's section 4.2: 80 of each of the digits 0 to 4.
const (
	classes  = 5
	perClass = 80
	folds    = 10
)

// digits compares 1-NN errors on maps.
func digits(ctx context.Context, b *bench) (string, error) {
	t, err := readTable(filepath.Join(b.data, "usps", "zip.train.gz"), false)
	if err != nil {
		return "", err
	}
	t, pixels := chosenDigits(t)
	if err := t.write(b.file("digits.csv")); err != nil {
		return "", err
	}
	r, err := b.fit(ctx, "digits", join(pixels), "--label", "digit", "--neighbors", fmt.Sprint(classes*perClass/80), "--steps", "100")
	if err != nil {
		return "", err
	}
	labels := make([]string, len(t.rows))
	for i, row := range t.rows {
		labels[i] = row[0]
	}
	own, err := embedding(b.file("digits-map.csv"))
	if err != nil {
		return "", err
	}
	pca, err := t.principal(ctx, pixels...)
	if err != nil {
		return "", err
	}
	rows := fmt.Sprintf("| this program, `--kind lllvm` (bound %.1f, %d iterations) | %.1f%% | 28%% |\n", r.Loglik, r.Iterations, 100*foldError(own, labels))
	rows += fmt.Sprintf("| PCA | %.1f%% | 26%% |\n", 100*foldError(pca, labels))
	for _, peer := range []struct{ name, text, of string }{{"isomap", "Isomap, 30 neighbours", "26%"}, {"lle", "LLE, 40 neighbours", "38.5%"}} {
		at := "not measured"
		if b.python != "" {
			y, err := b.peer(ctx, peer.name)
			if err != nil {
				return "", err
			}
			at = fmt.Sprintf("%.1f%%", 100*foldError(y, labels))
		}
		rows += fmt.Sprintf("| %s (scikit-learn) | %s | %s |\n", peer.text, at, peer.of)
	}
	picture, link := b.figure("digits.png")
	if err := b.command(ctx, "plot", b.file("digits-map.csv"), "-o", picture, "--color", "digit", "--title", "USPS digits", "--width", "1200", "--height", "900"); err != nil {
		return "", err
	}
	return fmt.Sprintf(`## Handwritten digits

%d of each of the digits 0 to 4 of USPS, 16 x 16 pixels, in two dimensions with %d neighbours (paper: section 4.2); the error of
a digit's nearest neighbour on the map, in %d folds. The last column is a reference run with another sample of the digits.

| map | 1-NN error | reference |
|---|---|---|
%s
![map](%s)
`, perClass, r.Neighbors, folds, rows, link), nil
}

// chosenDigits returns the digits with names, without pixels that are the same in all.
func chosenDigits(all table) (t table, pixels []string) {
	var count [classes]int
	for _, row := range all.sample(len(all.rows), 1).rows {
		digit, err := strconv.ParseFloat(row[0], 64)
		if c := int(digit); err == nil && c < classes && count[c] < perClass {
			count[c]++
			t.rows = append(t.rows, append([]string{strconv.Itoa(c)}, row[1:]...))
		}
	}
	keep := []int{0}
	t.names = []string{"digit"}
	for p := 1; p < len(t.rows[0]); p++ {
		if first := t.rows[0][p]; slices.ContainsFunc(t.rows, func(row []string) bool { return row[p] != first }) {
			keep = append(keep, p)
			pixels = append(pixels, "p"+strconv.Itoa(p))
		}
	}
	t.names = append(t.names, pixels...)
	for i, row := range t.rows {
		short := make([]string, len(keep))
		for k, p := range keep {
			short[k] = row[p]
		}
		t.rows[i] = short
	}
	return t, pixels
}

// foldError is the share of rows whose nearest of the other folds has another label.
func foldError(x vec.Matrix[float32], labels []string) float64 {
	order := rand.New(rand.NewPCG(1, 1)).Perm(x.Rows)
	fold := make([]int, x.Rows)
	for p, i := range order {
		fold[i] = p % folds
	}
	wrong := 0
	for i := range x.Rows {
		near, best := -1, math.Inf(1)
		for j := range x.Rows {
			if d := vec.SquaredDistance(x.Row(i), x.Row(j)); fold[i] != fold[j] && d < best {
				near, best = j, d
			}
		}
		if labels[near] != labels[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(x.Rows)
}

const peerScript = `
import sys, numpy as np
from sklearn.manifold import Isomap, LocallyLinearEmbedding
name, source, to = sys.argv[1:]
x = np.loadtxt(source, delimiter=",", skiprows=1)[:, 1:]
m = Isomap(n_neighbors=30, n_components=2) if name == "isomap" else LocallyLinearEmbedding(n_neighbors=40, n_components=2, random_state=1)
np.savetxt(to, m.fit_transform(x), delimiter=",", header="embedding_0,embedding_1", comments="")
`

// peer has scikit-learn make a map of the digits.
func (b *bench) peer(ctx context.Context, name string) (vec.Matrix[float32], error) {
	to := b.file("digits-" + name + ".csv")
	c := exec.CommandContext(ctx, b.python, "-c", peerScript, name, b.file("digits.csv"), to)
	if out, err := c.CombinedOutput(); err != nil {
		return vec.Matrix[float32]{}, fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return embedding(to)
}

// The paper's section 4.3: 400 weather stations by their monthly precipitation.
const stations = 400

// climate compares a map of rain with the land.
func climate(ctx context.Context, b *bench) (string, error) {
	t, err := readTable(filepath.Join(b.data, "climate", "prcp_mean_2005_2014.csv"), true)
	if err != nil {
		return "", err
	}
	t = t.sample(stations, 1)
	if err := t.write(b.file("climate.csv")); err != nil {
		return "", err
	}
	var months []string
	for _, name := range t.names {
		if strings.HasPrefix(name, "prcp_") {
			months = append(months, name)
		}
	}
	r, err := b.fit(ctx, "climate", join(months), "--keep", "lon,lat", "--neighbors", "12", "--steps", "100")
	if err != nil {
		return "", err
	}
	own, err := embedding(b.file("climate-map.csv"))
	if err != nil {
		return "", err
	}
	land, err := t.numbers("lon", "lat")
	if err != nil {
		return "", err
	}
	pca, err := t.principal(ctx, months...)
	if err != nil {
		return "", err
	}
	lon, lonLink := b.figure("climate-lon.png")
	lat, latLink := b.figure("climate-lat.png")
	if err := errors.Join(
		b.command(ctx, "plot", b.file("climate-map.csv"), "-o", lon, "--color", "lon", "--title", "Stations by longitude", "--width", "1000", "--height", "750"),
		b.command(ctx, "plot", b.file("climate-map.csv"), "-o", lat, "--color", "lat", "--title", "Stations by latitude", "--width", "1000", "--height", "750"),
	); err != nil {
		return "", err
	}
	return fmt.Sprintf(`## Weather stations

Mean monthly precipitation of %d stations in the United States, 2005 to 2014, with %d neighbours (paper: section 4.3, figure 6).
How much of the stations' longitude and latitude an affine function of the map explains:

| map | longitude | latitude |
|---|---|---|
| this program, %[7]s | %.2[3]f | %.2[4]f |
| PCA | %.2[5]f | %.2[6]f |

![by longitude](%[8]s)
![by latitude](%[9]s)
`, stations, r.Neighbors, explained(own, land, 0), explained(own, land, 1), explained(pca, land, 0), explained(pca, land, 1), "`--kind lllvm`", lonLink, latLink), nil
}

// explained is R^2 of column c of the land by the columns of the map and a constant.
func explained(x, land vec.Matrix[float32], c int) float64 {
	n := float64(x.Rows)
	var mx, my, mz float64
	for i := range x.Rows {
		mx, my, mz = mx+float64(x.Row(i)[0])/n, my+float64(x.Row(i)[1])/n, mz+float64(land.Row(i)[c])/n
	}
	var xx, xy, yy, xz, yz, zz float64
	for i := range x.Rows {
		a, b, z := float64(x.Row(i)[0])-mx, float64(x.Row(i)[1])-my, float64(land.Row(i)[c])-mz
		xx, xy, yy, xz, yz, zz = xx+a*a, xy+a*b, yy+b*b, xz+a*z, yz+b*z, zz+z*z
	}
	det := xx*yy - xy*xy
	p, q := (yy*xz-xy*yz)/det, (xx*yz-xy*xz)/det
	return (p*xz + q*yz) / zz
}
