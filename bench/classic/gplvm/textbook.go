package main

import (
	"context"
	"fmt"
	"image"
	"math"
	"path/filepath"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/baseline"
)

// Settings of the methods for which Table 2 has the best result: grids of latent points and of
// basis functions along an axis, as in the paper, and kernel widths by factors of 2.
var (
	tableGrids  = []int{3, 5, 8, 10, 12, 15}
	tableBases  = []int{2, 3, 4, 5, 6}
	tableWidths = []float64{1. / 64, 1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8, 16}
)

// tableSteps are the most iterations of GTM of all flows and of digits.
const tableSteps = 100

// rival is a map by a textbook method.
type rival struct {
	x          vec.Matrix[float64]
	errors     int
	iterations int
	loglik     float64
	set        baseline.Settings
}

// rival learns a map of all rows of y.
func (b *bench) rival(ctx context.Context, m baseline.Method, y vec.Matrix[float64], label []int, set baseline.Settings) (*rival, error) {
	x := vec.Convert[float32](y)
	set.Threads, set.Points = b.threads, y.Rows
	f, err := baseline.Fit(ctx, m, x, set)
	if err != nil {
		return nil, err
	}
	r := &rival{iterations: f.Iterations, loglik: f.Loglik, set: f.Settings}
	if r.x, _, err = f.PlaceAll(ctx, x, nil); err != nil {
		return nil, err
	}
	r.errors = mistakes(r.x, label)
	fmt.Fprintf(b.log, "  %s of %d: %d errors after %d iterations\n", m, y.Rows, r.errors, r.iterations)
	return r, nil
}

// fewest learns with all settings and returns the map with the fewest errors, the first of equals.
func (b *bench) fewest(ctx context.Context, m baseline.Method, y vec.Matrix[float64], label []int, all []baseline.Settings) (best *rival, err error) {
	for _, set := range all {
		r, err := b.rival(ctx, m, y, label, set)
		if err != nil {
			return nil, err
		}
		if best == nil || r.errors < best.errors {
			best = r
		}
	}
	return best, nil
}

// likeliest is the most likely of GTMs with the default number of latent points.
func (b *bench) likeliest(ctx context.Context, y vec.Matrix[float64], label []int) (best *rival, err error) {
	for _, basis := range tableBases {
		r, err := b.rival(ctx, baseline.GTM, y, label, baseline.Settings{Basis: basis})
		if err != nil {
			return nil, err
		}
		if best == nil || r.loglik > best.loglik {
			best = r
		}
	}
	return best, nil
}

// tried are the settings of GTM and of kernel principal components that Table 2 tries.
func tried() (grids, widths []baseline.Settings) {
	for _, grid := range tableGrids {
		for _, basis := range tableBases {
			grids = append(grids, baseline.Settings{Grid: grid, Basis: basis})
		}
	}
	for _, w := range tableWidths {
		widths = append(widths, baseline.Settings{Width: w})
	}
	return grids, widths
}

// hundred returns every tenth of the learnt flows.
func (b *bench) hundred() (y vec.Matrix[float64], label []int, err error) {
	all, labels, err := flows(b.oil, "Trn")
	if err != nil {
		return y, nil, err
	}
	var rows []int32
	for i := 0; i < all.Rows; i += 10 {
		rows, label = append(rows, int32(i)), append(label, labels[i])
	}
	return vec.Take(all, rows), label, nil
}

// otherMethods are the columns of Tables 2, 3 and 4 for other methods, and figures 1, 4 and 6.
func otherMethods(ctx context.Context, b *bench) (string, error) {
	t := newTable("errors", "100 flows", "paper", "1000 flows", "paper", "3000 digits", "paper")
	oil, label, err := flows(b.oil, "Trn")
	if err != nil {
		return "", err
	}
	if err := b.byDistances(ctx, t, oil, label); err != nil {
		return "", err
	}
	few, err := b.ofHundred(ctx, t)
	if err != nil {
		return "", err
	}
	digits, digit, err := b.zip()
	if err != nil {
		return "", err
	}
	rows := []struct {
		name, flows, digits, file string
		learn                     func(y vec.Matrix[float64], label []int) (*rival, error)
	}{
		{"principal components", "162", "780", "pca", func(y vec.Matrix[float64], label []int) (*rival, error) {
			return b.rival(ctx, baseline.PCA, y, label, baseline.Settings{})
		}},
		{"GTM, 15 x 15 latent points, 16 basis functions", "11", "158", "gtm", func(y vec.Matrix[float64], label []int) (*rival, error) {
			return b.rival(ctx, baseline.GTM, y, label, baseline.Settings{Common: models.Common{Steps: tableSteps}})
		}},
	}
	for _, r := range rows {
		of, err := r.learn(oil, label)
		if err != nil {
			return "", err
		}
		all, err := r.learn(digits, digit)
		if err != nil {
			return "", err
		}
		small, paper := few.of[r.file], few.paper[r.file]
		t.row(r.name, fmt.Sprint(small), paper, fmt.Sprint(of.errors), r.flows, fmt.Sprint(all.errors), r.digits)
		if err := b.dots("oil-"+r.file, of.x, label); err != nil {
			return "", err
		}
		if err := b.dots("digits-"+r.file, all.x, digit); err != nil {
			return "", err
		}
	}
	likely, err := b.likeliest(ctx, oil, label)
	if err != nil {
		return "", err
	}
	t.row("GTM, 15 x 15 latent points, the most likely of 4 to 36 basis functions", fmt.Sprint(few.of["likely"]), "", fmt.Sprint(likely.errors), "", "", "")
	return fmt.Sprintf(`The columns of other models in the paper's Tables 2, 3 and 4, by [textbook methods](baselines.md) of this program. The hundred
flows are every tenth; the paper's are not known. For methods with a range of settings, the paper and the table show the setting with the fewest errors, a choice that uses the classes: %d settings of GTM (3 x 3 to 15 x 15 latent points, 4 to 36 basis
functions; the fewest with %d x %d and %d), %d widths w of the kernel
exp(-|x - y|^2/(q v w^2)) (%g to %g; the fewest at %g). The rows below have one fixed setting, and the most likely setting, which needs no classes. The
paper does not specify its GTM of the digits; here it takes at most %d iterations. Kruskal's scaling and Sammon's mapping
start at principal components; the paper's start is not stated.

%s
![Kruskal's scaling](gplvm/hundred-nmds.png) ![Sammon's mapping](gplvm/hundred-sammon.png)

![GTM](gplvm/hundred-gtm.png) ![Kernel principal components](gplvm/hundred-kpca.png)

A hundred flows (figure 1 c to f): Kruskal's non-metric scaling and Sammon's mapping, GTM and kernel principal components, these
two with the fewest errors.

![All flows by principal components](gplvm/oil-pca.png) ![All flows by GTM](gplvm/oil-gtm.png)

![Digits by GTM](gplvm/digits-gtm.png) ![Digits by principal components](gplvm/digits-pca.png)

All flows by principal components and by GTM (figure 4 b), and digits by GTM and by principal components (figure 6), with 15 x 15
latent points and 16 basis functions. Equal places hide each other.
`, len(tableGrids)*len(tableBases), few.gtm.set.Grid, few.gtm.set.Grid, few.gtm.set.Basis*few.gtm.set.Basis,
		len(tableWidths), tableWidths[0], tableWidths[len(tableWidths)-1], few.kpca.set.Width, tableSteps, t.String()), nil
}

// small are the errors on a hundred flows that later rows need, and the paper's. gtm and kpca are
// the maps with the fewest errors.
type small struct {
	of        map[string]int
	paper     map[string]string
	gtm, kpca *rival
}

// ofHundred writes the rows of Table 2 for a hundred flows, and draws their maps.
func (b *bench) ofHundred(ctx context.Context, t *table) (*small, error) {
	y, label, err := b.hundred()
	if err != nil {
		return nil, err
	}
	linear, err := b.rival(ctx, baseline.PCA, y, label, baseline.Settings{})
	if err != nil {
		return nil, err
	}
	grids, widths := tried()
	gtm, err := b.fewest(ctx, baseline.GTM, y, label, grids)
	if err != nil {
		return nil, err
	}
	kpca, err := b.fewest(ctx, baseline.KernelPCA, y, label, widths)
	if err != nil {
		return nil, err
	}
	plain, err := b.rival(ctx, baseline.GTM, y, label, baseline.Settings{})
	if err != nil {
		return nil, err
	}
	likely, err := b.likeliest(ctx, y, label)
	if err != nil {
		return nil, err
	}
	for _, r := range []struct {
		name, paper, file string
		*rival
	}{
		{fmt.Sprintf("GTM, the fewest of %d settings", len(grids)), "7", "gtm", gtm},
		{fmt.Sprintf("kernel principal components, the fewest of %d widths", len(widths)), "13", "kpca", kpca},
	} {
		t.row(r.name, fmt.Sprint(r.errors), r.paper, "", "", "", "")
		if err := b.dots("hundred-"+r.file, r.x, label); err != nil {
			return nil, err
		}
	}
	return &small{
		of:    map[string]int{"pca": linear.errors, "gtm": plain.errors, "likely": likely.errors},
		paper: map[string]string{"pca": "20"}, gtm: gtm, kpca: kpca,
	}, nil
}

// byDistances writes the rows of methods with a stress, for a hundred flows and for all, and draws
// their maps of a hundred.
func (b *bench) byDistances(ctx context.Context, t *table, oil vec.Matrix[float64], label []int) error {
	few, labels, err := b.hundred()
	if err != nil {
		return err
	}
	for _, r := range []struct {
		name, paper string
		method      baseline.Method
	}{
		{"Kruskal's non-metric scaling", "13", baseline.NonMetric},
		{"Sammon's mapping", "6", baseline.Sammon},
	} {
		hundred, err := b.rival(ctx, r.method, few, labels, baseline.Settings{})
		if err != nil {
			return err
		}
		all, err := b.rival(ctx, r.method, oil, label, baseline.Settings{})
		if err != nil {
			return err
		}
		t.row(r.name, fmt.Sprint(hundred.errors), r.paper, fmt.Sprint(all.errors), "", "", "")
		if err := b.dots("hundred-"+string(r.method), hundred.x, labels); err != nil {
			return err
		}
	}
	return nil
}

// dots draws places by class on white.
func (b *bench) dots(name string, x vec.Matrix[float64], label []int) error {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for p := range img.Pix {
		img.Pix[p] = math.MaxUint8
	}
	mark(img, around(x), x, label)
	return sheet.PNG(filepath.Join(b.figures, name+".png"), img)
}
