package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"unfold/internal/vec"
)

// The paper's section 4.3: 400 weather stations by their monthly precipitation. nearStations
// are those on the map that a station's place on the land is estimated by.
const (
	stations     = 400
	nearStations = 5
)

// climateMaps are the kinds of model that the paper's figure 6 compares, and two more.
var climateMaps = []struct{ kind, name, args string }{
	{"lllvm", "LL-LVM, the highest bound of 6 to 15 neighbours", "--neighbors 6:15 --steps 100"},
	{"gplvm", "GP-LVM", ""}, {"isomap", "Isomap, 12 neighbours", "--neighbors 12"}, {"lle", "LLE, 12 neighbours", "--neighbors 12"},
	{"pca", "principal components", ""}, {"lvm", "this program's own", ""},
}

// climateTries are settings of the LL-LVM that its map may depend on.
var climateTries = []string{
	"--neighbors 6", "--neighbors 9", "--neighbors 12", "--neighbors 20",
	"--neighbors 6 --standardize", "--neighbors 9 --standardize", "--neighbors 12 --standardize", "--neighbors 9 --log1p --standardize",
}

// climate compares maps of rain with the land.
func climate(ctx context.Context, b *bench) (string, error) {
	t, err := readTable(filepath.Join(b.data, "climate", "prcp_mean_2005_2014.csv"), true)
	if err != nil {
		return "", err
	}
	t = t.sample(stations, 1)
	if err := t.write(b.file("climate.csv")); err != nil {
		return "", err
	}
	months := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return !strings.HasPrefix(name, "prcp_") })
	land, err := t.numbers("lon", "lat")
	if err != nil {
		return "", err
	}
	line := func(first string, places vec.Matrix[float32]) (string, error) {
		lon, err := explained(places, land, 0)
		if err != nil {
			return "", err
		}
		lat, err := explained(places, land, 1)
		return fmt.Sprintf("| %s | %.2f | %.2f | %.2f | %.2f |\n", first, lon, lat, nearest(places, land, 0), nearest(places, land, 1)), err
	}
	row := func(first, kind, args string) (string, fitted, error) {
		r, err := b.fit(ctx, "climate", kind, join(months), strings.Fields("--keep lon,lat "+args)...)
		if err != nil {
			return "", r, err
		}
		places, err := b.places("climate", kind)
		if err != nil {
			return "", r, err
		}
		text, err := line(first, places)
		return text, r, err
	}
	// The tries come first, so that the files of the map that is shown stay.
	tried := ""
	for _, args := range climateTries {
		text, r, err := row("", "lllvm", args+" --steps 100")
		if err != nil {
			return "", err
		}
		tried += fmt.Sprintf("| `%s` | %.0f%s", args, r.Loglik, text[1:])
	}
	rows := ""
	for _, m := range climateMaps {
		text, _, err := row(fmt.Sprintf("`%s` | %s", m.kind, m.name), m.kind, m.args)
		if err != nil {
			return "", err
		}
		rows += text
	}
	rain, err := t.numbers(months...)
	if err != nil {
		return "", err
	}
	text, err := line("| the 12 months themselves", rain)
	if err != nil {
		return "", err
	}
	rows += text
	lon, lonLink := b.figure("climate-lon.png")
	lat, latLink := b.figure("climate-lat.png")
	for to, by := range map[string]string{lon: "lon", lat: "lat"} {
		title := map[string]string{"lon": "Stations by longitude", "lat": "Stations by latitude"}[by]
		if err := b.command(ctx, "plot", b.file("climate-lllvm.csv"), "-o", to, "--color", by, "--title", title, "--width", "1000", "--height", "750"); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(`Mean monthly precipitation of %d stations in the United States, 2005 to 2014 (paper: section 4.3, figure 6). How much of the
stations' longitude and latitude a map has: R^2 of an affine function of the two coordinates, and of the mean of the %d stations
nearest on the map.

| kind | model | longitude, affine | latitude, affine | longitude, nearest | latitude, nearest |
|---|---|---|---|---|---|
%s
The paper judges by eye, and finds the LL-LVM's map the most geographic. By neither measure is it here. Two directions hold
hardly any latitude in an affine way, though the twelve months do: it is not what sets stations apart most. The next table
says how much of that depends on the neighbours and on the scale of the months; bounds of rows that are scaled alike can be compared.

| settings | bound | longitude, affine | latitude, affine | longitude, nearest | latitude, nearest |
|---|---|---|---|---|---|
%s
![by longitude](%s)
![by latitude](%s)
`, stations, nearStations, rows, tried, lonLink, latLink), nil
}

// explained is R^2 of column c of the land by an affine function of the columns of the map.
func explained(x, land vec.Matrix[float32], c int) (float64, error) {
	design := mat.NewDense(x.Rows, x.Cols+1, nil)
	for i := range x.Rows {
		for col, v := range x.Row(i) {
			design.Set(i, col, float64(v))
		}
		design.Set(i, x.Cols, 1)
	}
	z := column(land, c)
	var b, estimates mat.VecDense
	if err := b.SolveVec(design, mat.NewVecDense(len(z), z)); err != nil {
		return 0, err
	}
	estimates.MulVec(design, &b)
	return stat.RSquaredFrom(estimates.RawVector().Data, z, nil), nil
}

// nearest is R^2 of column c of the land by its mean over the stations nearest on the map.
func nearest(x, land vec.Matrix[float32], c int) float64 {
	z := column(land, c)
	estimates := make([]float64, len(z))
	order, dist2 := make([]int, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		for j := range x.Rows {
			order[j], dist2[j] = j, vec.SquaredDistance(x.Row(i), x.Row(j))
		}
		dist2[i] = math.Inf(1)
		slices.SortStableFunc(order, func(j, k int) int { return cmp.Compare(dist2[j], dist2[k]) })
		for _, j := range order[:nearStations] {
			estimates[i] += z[j] / nearStations
		}
	}
	return stat.RSquaredFrom(estimates, z, nil)
}

func column(x vec.Matrix[float32], c int) []float64 {
	out := make([]float64, x.Rows)
	for i := range out {
		out[i] = float64(x.Row(i)[c])
	}
	return out
}
