package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
)

// The paper's section 4.3: 400 weather stations by their monthly precipitation.
const (
	stations     = 400
	climateSteps = "50"
)

// climateMaps are the kinds of model in the paper's figure 6, and two more.
var climateMaps = []struct{ kind, name, args string }{
	{"lllvm", "LL-LVM, 12 neighbours", "--neighbors 12 --steps " + climateSteps}, {"gplvm", "GP-LVM", ""},
	{"isomap", "Isomap, 12 neighbours", "--neighbors 12"}, {"ltsa", "LTSA, 12 neighbours", "--neighbors 12"},
	{"lle", "LLE, 12 neighbours", "--neighbors 12"}, {"pca", "principal components", ""}, {"lvm", "this program's own", ""},
}

// climateTries are further settings of the LL-LVM.
var climateTries = []string{
	"--neighbors 6", "--neighbors 9", "--neighbors 12", "--neighbors 20", "--neighbors 12 --seed 2", "--neighbors 12 --steps 200",
	"--neighbors 12 --learn-alpha", "--neighbors 12 --standardize", "--neighbors 12 --log1p --standardize",
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
	land, errLand := t.numbers("lon", "lat")
	rain, errRain := t.numbers(months...)
	if err := errors.Join(errLand, errRain); err != nil {
		return "", err
	}
	measured := func(kind, args string) (r fitted, x vec.Matrix[float32], k kept, err error) {
		if r, err = b.fit(ctx, "climate", kind, join(months), strings.Fields("--keep lon,lat "+args)...); err != nil {
			return r, x, k, err
		}
		if x, err = b.places("climate", kind); err == nil {
			k, err = keeps(x, land)
		}
		return r, x, k, err
	}
	tried := ""
	for _, args := range climateTries {
		r, _, k, err := measured("lllvm", fmt.Sprintf("--steps %s --restarts %d %s", climateSteps, fewStarts, args))
		if err != nil {
			return "", err
		}
		tried += k.row(fmt.Sprintf("`%s` | %.0f", args, r.Loglik), nil)
	}
	maps, all := []vec.Matrix[float32]{land}, []kept{}
	for _, m := range climateMaps {
		_, x, k, err := measured(m.kind, m.args)
		if err != nil {
			return "", err
		}
		maps, all = append(maps, x), append(all, k)
	}
	rows, top := "", highest(all)
	for i, m := range climateMaps {
		rows += all[i].row(fmt.Sprintf("`%s` | %s", m.kind, m.name), top)
	}
	whole, err := keeps(rain, land)
	if err != nil {
		return "", err
	}
	rows += whole.row("| the 12 months themselves", nil)
	picture, link := b.figure("climate.png")
	if err := sheet.Panels(picture, sheet.Figure{Across: len(maps), Colours: sheet.Ramp}, landPanels(maps, land)); err != nil {
		return "", err
	}
	return fmt.Sprintf(`Mean monthly precipitation of %d stations in the United States, 2005 to 2014, %s iterations of the LL-LVM, the highest bound of %d
starts (paper: section 4.3, figure 6). Three figures show how well a map has the stations' longitude and latitude: %s.
The highest of each column is bold, but for the last row.

| kind | model |%s|---|---|%s%s
By eye, the paper finds the LL-LVM's map the most geographic. Stations by longitude (above) and latitude (below): the land, then the maps in the
order of the table.

![the land and the maps](%s)

The map of the LL-LVM by settings, the highest bound of %d starts, and the same measures. Bounds of rows that
are scaled alike can be compared, with the same number of neighbours.

| settings | bound |%s|---|---|%s%s`, stations, climateSteps, b.starts, keptAbout, keptHead("longitude", "latitude"), keptRule, rows, link,
		fewStarts, keptHead("longitude", "latitude"), keptRule, tried), nil
}

// landPanels returns maps coloured by both coordinates of the land, the first coordinate in the
// first row.
func landPanels(maps []vec.Matrix[float32], land vec.Matrix[float32]) (all []sheet.Panel) {
	for c := range 2 {
		colour := sheet.Step(column(land, c))
		for _, x := range maps {
			all = append(all, flat(x, colour))
		}
	}
	return all
}
