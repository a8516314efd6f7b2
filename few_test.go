package unfold_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"unfold"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
)

// fewDim is the length of the vectors in tests of few rows.
const fewDim = 6

// fewForms returns the first n rows of x in every form. Without rows some forms have no width.
func fewForms(x unfold.Rows, n int) map[string]mat.Matrix {
	flat := unfold.Flat{Rows: n, Cols: fewDim, Stride: fewDim}
	for _, row := range x[:n] {
		flat.Data = append(flat.Data, row...)
	}
	forms := map[string]mat.Matrix{"rows": x[:n], "flat": flat}
	if n == 0 {
		forms["nil rows"], forms["flat without width"], forms["dense"] = unfold.Rows(nil), unfold.Flat{}, new(mat.Dense)
		forms["csr"] = sparse.NewCSR(0, fewDim, []int{0}, nil, nil)
		return forms
	}
	dense := mat.NewDense(n, fewDim, nil)
	dense.Apply(func(i, j int, _ float64) float64 { return float64(x[i][j]) }, dense)
	forms["dense"] = dense
	forms["csr"] = sparse.NewDOK(n, fewDim).ToCSR()
	return forms
}

// fewMaps returns model files of every kind, tails and distance, with and without principal
// components. Combinations that a fit refuses are left out, after a check that the refusal is an
// error with a reason.
func fewMaps(t *testing.T, x unfold.Rows) map[string][]byte {
	rows := vec.Of(len(x), fewDim, slices.Concat(x...))
	files := map[string][]byte{}
	for _, kind := range (fit.Kinds{}).Names() {
		for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
			if kind != fit.LVM && tails != lvm.Student {
				continue
			}
			for _, d := range distance.All() {
				for _, pca := range []int{fit.PCANone, 3} {
					spec := fit.Spec{Kind: kind, PCA: pca, Common: models.Common{Steps: 3, Distance: d}}
					spec.LVM.Tails = tails
					spec.LLLVM.Points, spec.GPLVM.Points = 30, 30
					about := fmt.Sprintf("%s, tails %s, %s, pca %d", kind, tails, d, pca)
					s, _, err := fit.Fit(t.Context(), rows, spec, nil)
					if err != nil {
						if inWords(t, about, err); d == distance.Euclidean && pca == fit.PCANone {
							t.Errorf("%s: %v", about, err)
						}
						continue
					}
					var b bytes.Buffer
					if err := snapshot.Write(&b, s); err != nil {
						t.Fatal(err)
					}
					files[about] = b.Bytes()
				}
			}
		}
	}
	return files
}

// shapeError reports a result with a wrong number of rows.
type shapeError struct{ error }

func shapeErrorf(format string, args ...any) error { return shapeError{fmt.Errorf(format, args...)} }

// inWords fails if an error does not tell the reader what is wrong.
func inWords(t *testing.T, about string, err error) {
	t.Helper()
	var shape shapeError
	if errors.As(err, &shape) {
		t.Errorf("%s: %v", about, err)
	}
	for _, trace := range []string{"runtime error", "goroutine", "panic", "index out of range", "0x"} {
		if err != nil && strings.Contains(err.Error(), trace) {
			t.Errorf("%s: %v", about, err)
		}
	}
}

// caught runs a call that must not panic.
func caught(t *testing.T, about string, call func() error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", about, p)
		}
	}()
	inWords(t, about, call())
}

// fewPlaces checks the places of n rows and describes the first error.
func fewPlaces(p *unfold.Places, n, dims int) error {
	r, c := p.Embedding.Dims()
	if r != n || n > 0 && c != dims || len(p.Sigma) != n || len(p.NoveltyLocal) != n || len(p.NoveltyGlobal) != n {
		return shapeErrorf("%d rows have %d x %d places, %d sigmas, %d and %d novelties", n, r, c, len(p.Sigma), len(p.NoveltyLocal), len(p.NoveltyGlobal))
	}
	return nil
}

// fewCalls returns a call with n rows for every method of a map.
var fewCalls = map[string]func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error{
	"Classifier": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error {
		_, err := m.Classifier()
		return err
	},
	"Clusters": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		c, err := m.Clusters(ctx, unfold.ClusterOptions{MinSize: 2})
		if err != nil {
			return err
		}
		if len(c.Label) != m.Len() {
			return shapeErrorf("%d points have %d clusters", m.Len(), len(c.Label))
		}
		p, err := m.Place(ctx, x)
		if err != nil {
			return err
		}
		joined, err := c.Predict(ctx, p.Embedding)
		if err == nil && len(joined.Label) != n {
			return shapeErrorf("%d rows have %d clusters", n, len(joined.Label))
		}
		return err
	},
	"Columns": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Columns(); return nil },
	"Decode": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		at := make(unfold.Rows, n)
		for i := range at {
			at[i] = make([]float32, m.Dims())
		}
		d, err := m.Decode(ctx, at)
		if err == nil && (len(d.Error) != n || n > 0 && d.X.RawMatrix().Cols != m.Dim()) {
			return shapeErrorf("%d positions have %d errors", n, len(d.Error))
		}
		if err == nil {
			_, err = m.Decode(ctx, x) // most of them have other lengths
		}
		return err
	},
	"Delete": func(ctx context.Context, m *unfold.Map, _ mat.Matrix, n int) error {
		return m.Delete(ctx, m.Points().ID[:min(n, m.Len())])
	},
	"Dim":  func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Dim(); return nil },
	"Dims": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Dims(); return nil },
	"Drift": func(ctx context.Context, m *unfold.Map, x mat.Matrix, _ int) error {
		d, err := m.Drift(unfold.DriftOptions{})
		if err == nil {
			_, err = d.Add(ctx, x)
		}
		return err
	},
	"Explain": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		why, err := m.Explain(ctx, x, 2)
		if err == nil && len(why) != n {
			return shapeErrorf("%d rows have %d reasons", n, len(why))
		}
		return err
	},
	"Graph": func(ctx context.Context, m *unfold.Map, _ mat.Matrix, _ int) error {
		_, err := m.Graph(ctx)
		return err
	},
	"Insert": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		ids, err := m.Insert(ctx, x)
		if err == nil && len(ids) != n {
			return shapeErrorf("%d numbers for %d rows", len(ids), n)
		}
		return err
	},
	"InsertLabelled": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		ids, err := m.InsertLabelled(ctx, x, make([]string, n))
		if err == nil && len(ids) != n {
			return shapeErrorf("%d numbers for %d rows", len(ids), n)
		}
		return err
	},
	"Kind": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Kind(); return nil },
	"LearnClasses": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		label := make([]string, n)
		for i := range label {
			label[i] = string(rune('a' + i))
		}
		c, err := m.LearnClasses(ctx, x, label)
		if err != nil {
			return err
		}
		p, err := c.Predict(ctx, x)
		if err == nil && len(p.Name) != n {
			return shapeErrorf("%d rows have %d classes", n, len(p.Name))
		}
		return err
	},
	"Len": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Len(); return nil },
	"Neighbors": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		near, err := m.Neighbors(ctx, x, 1)
		if err == nil && (len(near.Point) != n || len(near.Distance) != n) {
			return shapeErrorf("%d rows have the neighbours %v", n, near)
		}
		return err
	},
	"Place": func(ctx context.Context, m *unfold.Map, x mat.Matrix, n int) error {
		p, err := m.Place(ctx, x)
		if err != nil {
			return err
		}
		return fewPlaces(p, n, m.Dims())
	},
	"Points": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error {
		if p := m.Points(); len(p.ID) != m.Len() {
			return shapeErrorf("%d points of %d", len(p.ID), m.Len())
		}
		return nil
	},
	"Refresh": func(ctx context.Context, m *unfold.Map, _ mat.Matrix, _ int) error {
		_, err := m.Refresh(ctx)
		return err
	},
	"Result": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Result(); return nil },
	"Save": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error {
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			return err
		}
		_, err := unfold.Open(&b)
		return err
	},
	"LogLik": func(ctx context.Context, m *unfold.Map, x mat.Matrix, rows int) error {
		each, err := m.LogLik(ctx, x)
		if err == nil && len(each) != rows {
			return shapeErrorf("%d values for %d rows", len(each), rows)
		}
		return err
	},
	"Version": func(_ context.Context, m *unfold.Map, _ mat.Matrix, _ int) error { m.Version(); return nil },
}

// Every method takes no row, one row and two rows on a map of every kind and distance, with and
// without principal components. It returns a result of as many rows, or an error with a reason.
func TestFewRows(t *testing.T) {
	methods := reflect.TypeFor[*unfold.Map]()
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; fewCalls[name] == nil {
			t.Errorf("no call of %s with few rows", name)
		}
	}
	bits := cloud(60, fewDim, 9) // of 0 and 1, valid for every distance
	for _, row := range bits {
		for j, v := range row {
			row[j] = 0
			if v > 0 {
				row[j] = 1
			}
		}
	}
	for about, file := range fewMaps(t, bits) {
		t.Run(about, func(t *testing.T) {
			for n := range 3 {
				for form, rows := range fewForms(bits, n) {
					for method, call := range fewCalls {
						m, err := unfold.Open(bytes.NewReader(file))
						if err != nil {
							t.Fatal(err)
						}
						points := m.Len()
						about := fmt.Sprintf("%s of %d rows (%s)", method, n, form)
						caught(t, about, func() error { return call(t.Context(), m, rows, n) })
						// An accepted change can be followed by another, and a change of no rows
						// changes nothing.
						caught(t, about+", then Refresh", func() error {
							_, err := m.Refresh(t.Context())
							return err
						})
						if n == 0 && m.Len() != points {
							t.Errorf("%s: %d points became %d", about, points, m.Len())
						}
					}
				}
			}
		})
	}
}

// A map reduced to no, one or two rows answers every call, and follows rows that are added again.
func TestMapsOfFewPoints(t *testing.T) {
	x := cloud(30, fewDim, 10)
	for _, kind := range []unfold.Kind{unfold.Student, unfold.Saul} {
		for _, pca := range []int{unfold.NoPCA, 3} {
			for left := range 3 {
				for method, call := range fewCalls {
					for n := range 3 {
						about := fmt.Sprintf("%s, pca %d: %s of %d rows on a map of %d points", kind, pca, method, n, left)
						m := fitted(t, x, unfold.Options{Kind: kind, PCA: pca, Steps: 2})
						for _, step := range []func() error{
							func() error { return m.Delete(t.Context(), m.Points().ID[left:]) },
							func() error { _, err := m.Refresh(t.Context()); return err },
							func() error { return call(t.Context(), m, x[:n], n) },
							func() error { _, err := m.Insert(t.Context(), x[10:20]); return err },
							func() error { _, err := m.Refresh(t.Context()); return err },
							func() error { _, err := m.Place(t.Context(), x); return err },
						} {
							caught(t, about, step)
						}
					}
				}
			}
		}
	}
}

// A fit of too few rows, or of rows without width, is bad input with a reason, for every kind.
func TestFitOfFewRows(t *testing.T) {
	x := cloud(2, fewDim, 11)
	forms := map[string]mat.Matrix{"rows without width": unfold.Rows{{}, {}}, "flat rows without width": unfold.Flat{Rows: 2}, "no matrix": nil, "equal rows": unfold.Rows{x[0], x[0]}}
	for n := range 3 {
		for form, rows := range fewForms(x, n) {
			forms[fmt.Sprintf("%d rows (%s)", n, form)] = rows
		}
	}
	for _, kind := range []unfold.Kind{unfold.Student, unfold.Saul, unfold.LLLVM, unfold.GPLVM} {
		for _, pca := range []int{0, unfold.NoPCA, 1, 3} {
			for form, rows := range forms {
				about := fmt.Sprintf("%s, pca %d, %s", kind, pca, form)
				caught(t, about, func() error {
					m, err := unfold.Fit(t.Context(), rows, unfold.Options{Kind: kind, PCA: pca, Steps: 3})
					if err != nil {
						var option *unfold.OptionError
						if !errors.Is(err, unfold.ErrBadInput) && !errors.As(err, &option) {
							t.Errorf("%s: %v is neither bad input nor about an option", about, err)
						}
						return err
					}
					for _, v := range m.Points().Embedding.RawMatrix().Data {
						if math.IsNaN(v) {
							t.Errorf("%s: the map is not finite", about)
						}
					}
					return nil
				})
			}
		}
	}
}
