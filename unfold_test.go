package unfold_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"unfold"
	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// cloud returns n normal vectors.
func cloud(n, dim int, seed uint64) unfold.Rows {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make(unfold.Rows, n)
	for i := range x {
		x[i] = make([]float32, dim)
		for j := range x[i] {
			x[i][j] = float32(r.NormFloat64())
		}
	}
	return x
}

func fitted(t *testing.T, x mat.Matrix, o unfold.Options) *unfold.Map {
	t.Helper()
	m, err := unfold.Fit(t.Context(), x, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func saved(t *testing.T, m *unfold.Map) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every kind learns and reports, places learnt rows at their points, and is restored from its file.
func TestKinds(t *testing.T) {
	x := cloud(90, 6, 1)
	x[80] = slices.Clone(x[3])
	for _, o := range []unfold.Options{
		{}, {Kind: unfold.Student, Dims: 3, Student: unfold.StudentOptions{Tail: 1, Weight: 0.5}},
		{Kind: unfold.Saul, Steps: 30, Saul: unfold.SaulOptions{Core: 1, Largest: true}},
		{Kind: unfold.LLLVM, Steps: 20, LLLVM: unfold.LLLVMOptions{Points: 60}},
		{Kind: unfold.GPLVM, Steps: 20, GPLVM: unfold.GPLVMOptions{Points: 60, Kernel: "rbf+white"}},
	} {
		name := string(o.Kind)
		m := fitted(t, x, o)
		kind, dims := o.Kind, max(o.Dims, 2)
		if kind == "" {
			kind = unfold.Student
		}
		r := m.Result()
		n, d := r.Embedding.Dims()
		if m.Kind() != kind || m.Dim() != 6 || m.Dims() != dims || m.Len() != 89 || n != 90 || d != dims {
			t.Errorf("%s: %s, %d to %d, %d points, embedding %d x %d", name, m.Kind(), m.Dim(), m.Dims(), m.Len(), n, d)
		}
		if r.Iterations < 1 || r.Seconds <= 0 || r.Objective == 0 || len(r.Sigma) != 90 || r.Point[80] != 3 || r.Point[81] != 80 {
			t.Errorf("%s: %+v", name, r)
		}
		if (r.Unlearnt != nil) != (kind == unfold.LLLVM || kind == unfold.GPLVM) {
			t.Errorf("%s: unlearnt %v", name, r.Unlearnt)
		}
		file := saved(t, m)
		again, err := unfold.Open(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if again.Kind() != kind || again.Result() != nil || !bytes.Equal(saved(t, again), file) {
			t.Errorf("%s: another map comes back", name)
		}
		for which, m := range map[string]*unfold.Map{"fitted": m, "opened": again} {
			p, err := m.Place(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(p.Embedding, r.Embedding) || !slices.Equal(p.Sigma, r.Sigma) || !slices.Equal(p.NoveltyLocal, r.NoveltyLocal) || !slices.Equal(p.NoveltyGlobal, r.NoveltyGlobal) {
				t.Errorf("%s, %s: rows lie elsewhere than they were learnt", name, which)
			}
			points := m.Points()
			if len(points.ID) != 89 || points.ID[88] != 88 || points.Count[3] != 2 || points.Count[4] != 1 || !mat.EqualApprox(points.Embedding.RowView(3), r.Embedding.RowView(80), 1e-5) {
				t.Errorf("%s, %s: points %v", name, which, points)
			}
		}
	}
}

// A map near coordinates of some rows lies there, and the other rows lie among their neighbours.
func TestCoordinatesAreAFrame(t *testing.T) {
	x := cloud(200, 3, 7)
	at := mat.NewDense(200, 2, nil)
	for i := range 200 {
		// Two columns, exchanged, mirrored, scaled and shifted; every fourth row is free.
		at.SetRow(i, []float64{100 - 7*float64(x[i][1]), 50 + 7*float64(x[i][0])})
		if i%4 == 0 {
			at.Set(i, 1, math.NaN())
		}
	}
	m := fitted(t, x, unfold.Options{Student: unfold.StudentOptions{Coordinates: at}})
	var within, between float64 // squared distances to a row's own coordinates, to those of the next row
	for i := range 200 {
		for c, k := range []int{1, 0} {
			want := []float64{100 - 7*float64(x[i][k]), 50 + 7*float64(x[i][k])}[c]
			next := []float64{100 - 7*float64(x[(i+1)%200][k]), 50 + 7*float64(x[(i+1)%200][k])}[c]
			got := m.Result().Embedding.At(i, c)
			within += (got - want) * (got - want)
			between += (got - next) * (got - next)
		}
	}
	if !(within < between/4) {
		t.Errorf("the mean squared distance to a row's own coordinates is %v, to those of another row %v", within/200, between/200)
	}
	// The coordinates are not stored, and the map is updated without them.
	again, err := unfold.Open(bytes.NewReader(saved(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Insert(t.Context(), cloud(2, 3, 8)); err != nil {
		t.Fatal(err)
	}
	if r, err := again.Refresh(t.Context()); err != nil || r.Born != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The same rows and options give the same file, for any number of threads.
func TestAFitIsRepeatable(t *testing.T) {
	x := cloud(150, 60, 2)
	one, three := fitted(t, x, unfold.Options{Seed: 5, Threads: 1}), fitted(t, x, unfold.Options{Seed: 5, Threads: 3})
	if !bytes.Equal(saved(t, one), saved(t, three)) {
		t.Error("threads change the map")
	}
	if bytes.Equal(saved(t, one), saved(t, fitted(t, x, unfold.Options{Seed: 6}))) {
		t.Error("a seed does not change the map")
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for name, c := range map[string]struct {
		o    unfold.Options
		name string
	}{
		"kind":              {unfold.Options{Kind: "umap"}, "Kind"},
		"dims":              {unfold.Options{Dims: -1}, "Dims"},
		"neighbors":         {unfold.Options{Neighbors: -3}, "Neighbors"},
		"recall":            {unfold.Options{Recall: 1.5}, "Recall"},
		"search":            {unfold.Options{Search: "annoy"}, "Search"},
		"density":           {unfold.Options{Student: unfold.StudentOptions{Density: -1}}, "Student.Density"},
		"weight":            {unfold.Options{Student: unfold.StudentOptions{Weight: -1}}, "Student.Weight"},
		"core":              {unfold.Options{Kind: unfold.Saul, Saul: unfold.SaulOptions{Core: -1}}, "Saul.Core"},
		"kernel":            {unfold.Options{Kind: unfold.GPLVM, GPLVM: unfold.GPLVMOptions{Kernel: "cosine"}}, "Kind gplvm"},
		"one space alone":   {unfold.Options{Kind: unfold.GPLVM, GPLVM: unfold.GPLVMOptions{Supervision: 1}}, "Labels"},
		"labels alone":      {unfold.Options{Kind: unfold.Saul, Labels: make([]string, 50)}, "Labels"},
		"one space":         {unfold.Options{Kind: unfold.GPLVM, Labels: make([]string, 50), GPLVM: unfold.GPLVMOptions{Supervision: 2}}, "GPLVM.Supervision"},
		"of another kind":   {unfold.Options{GPLVM: unfold.GPLVMOptions{Points: 5}}, "Kind"},
		"frame":             {unfold.Options{Student: unfold.StudentOptions{Frame: "sphere"}}, "Student.Frame"},
		"frame given":       {unfold.Options{Student: unfold.StudentOptions{Frame: "given"}}, "Student.Frame"},
		"frame of few rows": {unfold.Options{Student: unfold.StudentOptions{Coordinates: mat.NewDense(49, 2, nil)}}, "Student.Coordinates"},
		"frame of 3 dims":   {unfold.Options{Student: unfold.StudentOptions{Coordinates: mat.NewDense(50, 3, nil)}}, "Student.Coordinates"},
		"two frames":        {unfold.Options{Student: unfold.StudentOptions{Coordinates: mat.NewDense(50, 2, nil), Frame: unfold.FramePCA}}, "Student.Frame"},
		"of the other one":  {unfold.Options{Kind: unfold.Saul, Student: unfold.StudentOptions{Thorough: true}}, "Kind"},
	} {
		_, err := unfold.Fit(t.Context(), cloud(50, 4, 1), c.o)
		var option *unfold.OptionError
		if !errors.As(err, &option) || option.Name != c.name || errors.Is(err, unfold.ErrBadInput) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	m := fitted(t, cloud(60, 4, 1), unfold.Options{})
	bad := cloud(5000, 4, 2) // more rows than are placed at a time
	bad[4500][2] = float32(math.Inf(1))
	odd := oddNumbers(t)
	place := func(x mat.Matrix) error { _, err := m.Place(t.Context(), x); return err }
	for name, c := range map[string]struct {
		err  error
		row  int
		want string
	}{
		"fit of no rows":      {func() error { _, err := unfold.Fit(t.Context(), unfold.Rows{}, unfold.Options{}); return err }(), -1, ""},
		"fit of equal rows":   {func() error { _, err := unfold.Fit(t.Context(), make(unfold.Rows, 9), unfold.Options{}); return err }(), -1, ""},
		"fit of infinity":     {func() error { _, err := unfold.Fit(t.Context(), bad, unfold.Options{}); return err }(), 4500, "row 4500, element 2"},
		"place infinity":      {place(bad), 4500, "row 4500, element 2"},
		"place other columns": {place(cloud(2, 5, 1)), -1, "vectors of 5 elements"},
		"neighbours":          {func() error { _, err := m.Neighbors(t.Context(), bad, 3); return err }(), 4500, "row 4500, element 2"},
		"insert infinity":     {func() error { _, err := m.Insert(t.Context(), bad); return err }(), 4500, "row 4500, element 2"},
		"delete nobody":       {m.Delete(t.Context(), []int{3, 60}), -1, "point 60"},
		"delete twice":        {m.Delete(t.Context(), []int{3, 3}), -1, "point 3"},
		"open of text":        {func() error { _, err := unfold.Open(strings.NewReader("x,y\n1,2\n")); return err }(), -1, "unfold: "},
		"open of odd numbers": {func() error { _, err := unfold.Open(bytes.NewReader(odd)); return err }(), -1, "live.state"},
		"open of half a file": {func() error { _, err := unfold.Open(bytes.NewReader(saved(t, m)[:4000])); return err }(), -1, "unfold: "},
	} {
		var row *unfold.RowError
		if !errors.Is(c.err, unfold.ErrBadInput) || !strings.Contains(c.err.Error(), c.want) || errors.As(c.err, &row) != (c.row >= 0) || row != nil && row.Row != c.row {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if r, err := m.Refresh(t.Context()); err != nil || r.Points != 60 || r.Born+r.Gone != 0 {
		t.Errorf("after errors: %+v, %v", r, err)
	}
	if _, err := m.Neighbors(t.Context(), bad, 61); err == nil {
		t.Error("61 neighbours of 60 points")
	}
	if p, err := m.Place(t.Context(), unfold.Rows{}); err != nil || !p.Embedding.IsEmpty() || len(p.Sigma) != 0 {
		t.Errorf("no rows: %+v, %v", p, err)
	}
}

// oddNumbers is a file of an updatable map in which two points have the same number.
func oddNumbers(t *testing.T) []byte {
	t.Helper()
	m := fitted(t, cloud(60, 4, 1), unfold.Options{Steps: 2})
	if err := m.Delete(t.Context(), []int{0}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(bytes.NewReader(saved(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	state := bytes.Replace(s.Parts[0].Data.([]byte), []byte(`"slots":[1,2,`), []byte(`"slots":[2,2,`), 1)
	s.Parts[0].Data = state
	var out bytes.Buffer
	if err := snapshot.Write(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// GPLVM imputes missing values, and places rows without them where they were learnt.
func TestMissingValues(t *testing.T) {
	x := cloud(60, 5, 3)
	for i := 0; i < 60; i += 7 {
		x[i][i%5] = float32(math.NaN())
	}
	if _, err := unfold.Fit(t.Context(), x, unfold.Options{}); !errors.Is(err, unfold.ErrBadInput) {
		t.Errorf("a kind that wants all values: %v", err)
	}
	m := fitted(t, x, unfold.Options{Kind: unfold.GPLVM, Steps: 15})
	p, err := m.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(p.Embedding, m.Result().Embedding) {
		t.Error("rows with missing values lie elsewhere than they were learnt")
	}
	if _, ok := x.At(7, 2), math.IsNaN(x.At(7, 2)); !ok {
		t.Error("the caller's values were filled in")
	}
}

// A context that has ended stops every call, and the map can be used afterwards.
func TestContext(t *testing.T) {
	x := cloud(80, 4, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := unfold.Fit(ended, x, unfold.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit: %v", err)
	}
	during, stop := context.WithCancel(t.Context())
	defer stop()
	o := unfold.Options{Progress: func(stage string, done, _ int) {
		if stage == "em" && done > 2 {
			stop()
		}
	}}
	if _, err := unfold.Fit(during, x, o); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit under way: %v", err)
	}
	m := fitted(t, x, unfold.Options{})
	for round := range 2 { // before it is updatable, and then after
		calls := map[string]func() error{
			"Place":     func() error { _, err := m.Place(ended, x); return err },
			"Decode":    func() error { _, err := m.Decode(ended, m.Points().Embedding); return err },
			"Neighbors": func() error { _, err := m.Neighbors(ended, x, 2); return err },
			"Graph":     func() error { _, err := m.Graph(ended); return err },
			"Insert":    func() error { _, err := m.Insert(ended, cloud(3, 4, 9)); return err },
			"Delete":    func() error { return m.Delete(ended, []int{1}) },
			"Refresh":   func() error { _, err := m.Refresh(ended); return err },
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, context.Canceled) {
				t.Errorf("round %d, %s: %v", round, name, err)
			}
		}
		if r, err := m.Refresh(t.Context()); err != nil || r.Born+r.Gone != 0 || r.Points != 80 {
			t.Errorf("round %d: %+v, %v", round, r, err)
		}
	}
}

// Neighbours and graph are those of all pairs, computed from a dense matrix of distances.
func TestNeighborsAndGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(12, 60).Draw(t, "points"), rapid.IntRange(2, 6).Draw(t, "neighbours")
		x := cloud(n, 3, rapid.Uint64().Draw(t, "seed"))
		m, err := unfold.Fit(context.Background(), x, unfold.Options{Neighbors: k, Steps: 3})
		if err != nil {
			t.Fatal(err)
		}
		distance := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				distance.Set(i, j, math.Sqrt(vec.SquaredDistance(x[i], x[j])))
			}
		}
		order := func(i int) []int {
			all := make([]int, n)
			for j := range all {
				all[j] = j
			}
			slices.SortFunc(all, func(a, b int) int {
				switch da, db := distance.At(i, a), distance.At(i, b); {
				case da < db:
					return -1
				case da > db:
					return 1
				}
				return a - b
			})
			return all
		}
		g, err := m.Graph(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		near, err := m.Neighbors(context.Background(), x, k+1)
		if err != nil {
			t.Fatal(err)
		}
		want := mat.NewDense(n, n, nil)
		for i := range n {
			list := order(i)[:k+1]
			if !slices.Equal(near.Point[i], list) {
				t.Fatalf("row %d has neighbours %v, want %v", i, near.Point[i], list)
			}
			for p, j := range list {
				if near.Distance[i][p] != distance.At(i, j) {
					t.Fatalf("row %d is %v from point %d, want %v", i, near.Distance[i][p], j, distance.At(i, j))
				}
				want.Set(i, j, distance.At(i, j))
			}
		}
		if !mat.Equal(g, want) || !mat.Equal(g.ToDense(), want) || g.NNZ() != n*k {
			t.Fatalf("the graph of %d entries is\n%v", g.NNZ(), mat.Formatted(g.ToDense()))
		}
	})
}

func place(t *testing.T, m *unfold.Map, x mat.Matrix) *mat.Dense {
	t.Helper()
	p, err := m.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return p.Embedding
}
