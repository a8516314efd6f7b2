package unfold_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"unfold"
)

// Points are added and removed as in a list of rows. The map holds the current ones, and a saved
// and opened map is the same.
func TestLive(t *testing.T) {
	pool := cloud(200, 5, 4)
	for _, kind := range []unfold.Kind{unfold.Student, unfold.Saul} {
		file := saved(t, fitted(t, pool[:40], unfold.Options{Kind: kind, Steps: 5}))
		t.Run(string(kind), func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { live(t, file, pool) }) })
	}
}

// live makes the map in a file, of the first 40 rows of the pool, follow a list of rows.
func live(t *rapid.T, file []byte, pool unfold.Rows) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	m, err := unfold.Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	held := map[int]int{} // the number of rows of every point
	vector := map[int]int{}
	for i := range 40 {
		held[i], vector[i] = 1, i
	}
	version := uint64(1)
	for range rapid.IntRange(1, 3).Draw(t, "refreshes") {
		var rows unfold.Rows
		var from []int
		for range rapid.IntRange(0, 30).Draw(t, "come") {
			from = append(from, r.IntN(len(pool)))
			rows = append(rows, pool[from[len(from)-1]])
		}
		ids, err := m.Insert(ctx, rows)
		if err != nil || len(ids) != len(rows) {
			t.Fatalf("%d numbers for %d rows: %v", len(ids), len(rows), err)
		}
		for i, id := range ids {
			if held[id] > 0 && vector[id] != from[i] {
				t.Fatalf("row %d of the pool has number %d, which row %d has", from[i], id, vector[id])
			}
			held[id]++
			vector[id] = from[i]
		}
		var gone []int
		for range rapid.IntRange(0, 10).Draw(t, "go") {
			for _, id := range slices.Sorted(maps.Keys(held)) {
				if held[id] > 0 && r.IntN(20) == 0 {
					gone = append(gone, id)
					held[id]--
					break
				}
			}
		}
		if err := m.Delete(ctx, gone); err != nil {
			t.Fatal(err)
		}
		report, err := m.Refresh(ctx)
		if err != nil {
			t.Fatal(err)
		}
		version++
		var want []int
		for _, id := range slices.Sorted(maps.Keys(held)) {
			if held[id] > 0 {
				want = append(want, id)
			}
		}
		p := m.Points()
		if !slices.Equal(p.ID, want) || report.Points != len(want) || report.Version != version {
			t.Fatalf("points %v, want %v (%+v)", p.ID, want, report)
		}
		for i, id := range p.ID {
			placed, err := m.Place(ctx, pool[vector[id]:vector[id]+1])
			if err != nil {
				t.Fatal(err)
			}
			if p.Count[i] != held[id] || !mat.EqualApprox(placed.Embedding.RowView(0), p.Embedding.RowView(i), 1e-4) {
				t.Fatalf("point %d stands for %d rows, want %d, and is at %v, placed at %v", id, p.Count[i], held[id], p.Embedding.RawRowView(i), placed.Embedding.RawRowView(0))
			}
			near, err := m.Neighbors(ctx, pool[vector[id]:vector[id]+1], 1)
			if err != nil || near.Point[0][0] != id || near.Distance[0][0] != 0 {
				t.Fatalf("point %d is found as %v (%v)", id, near, err)
			}
		}
	}
	var after bytes.Buffer
	if err := m.Save(&after); err != nil {
		t.Fatal(err)
	}
	again, err := unfold.Open(&after)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Place(ctx, pool)
	if err != nil {
		t.Fatal(err)
	}
	b, err := again.Place(ctx, pool)
	if err != nil {
		t.Fatal(err)
	}
	_, epoch := m.Version()
	if v, e := again.Version(); v != version || e != epoch || again.Kind() != m.Kind() || !mat.Equal(a.Embedding, b.Embedding) || !slices.Equal(again.Points().ID, m.Points().ID) {
		t.Fatalf("another map comes back: version %d, epoch %d", v, e)
	}

	// Both continue alike, to the bit.
	var files [2]bytes.Buffer
	for k, m := range []*unfold.Map{m, again} {
		if _, err := m.Insert(ctx, pool[50:70]); err != nil {
			t.Fatal(err)
		}
		if err := m.Delete(ctx, m.Points().ID[:3]); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(&files[k]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Fatal("a map that was saved goes on otherwise")
	}
}

// Wide vectors are projected, later ones by the same components.
func TestLiveBehindPCA(t *testing.T) {
	x := cloud(150, 70, 5)
	m := fitted(t, x[:120], unfold.Options{Steps: 10, PCA: 10})
	ids, err := m.Insert(t.Context(), x[120:])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	near, err := m.Neighbors(t.Context(), x[120:], 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if near.Point[i][0] != id || near.Distance[i][0] != 0 {
			t.Errorf("row %d became point %d and is nearest to %d at %g", i, id, near.Point[i][0], near.Distance[i][0])
		}
	}
	if m.Dim() != 70 || m.Len() != 150 {
		t.Errorf("%d points of %d values", m.Len(), m.Dim())
	}
}

// Labels supervise learning, for the rows of a fit and for added rows, and are kept in the file.
func TestLabelsTakePart(t *testing.T) {
	x := cloud(150, 5, 6)
	labels := make([]string, len(x))
	for i := range labels {
		labels[i] = []string{"a", "b", ""}[i%3]
	}
	by := func(supervision float64, labels []string) unfold.Options {
		return unfold.Options{Steps: 20, Labels: labels, Student: unfold.StudentOptions{Supervision: supervision}}
	}
	plain, m := fitted(t, x[:120], unfold.Options{Steps: 20}), fitted(t, x[:120], by(1, labels[:120]))
	if slices.Equal(plain.Points().Embedding.RawMatrix().Data, m.Points().Embedding.RawMatrix().Data) {
		t.Error("labels do not change the map")
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	again, err := unfold.Open(&file)
	if err != nil {
		t.Fatal(err)
	}
	var files [3]bytes.Buffer
	for i, c := range []struct {
		m      *unfold.Map
		labels []string
	}{{m, labels[120:]}, {again, labels[120:]}, {plain, labels[120:]}} {
		if _, err := c.m.InsertLabelled(t.Context(), x[120:], c.labels); err != nil {
			t.Fatal(err)
		}
		if _, err := c.m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.m.Save(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("a map of a file goes on otherwise")
	}
	for i, want := range []bool{true, true, false} {
		if bytes.Contains(files[i].Bytes(), []byte(`["a","b"]`)) != want {
			t.Errorf("map %d keeps labels: want %v", i, want)
		}
	}
	if _, err := m.InsertLabelled(t.Context(), x[:2], labels[:1]); !errors.Is(err, unfold.ErrBadInput) {
		t.Errorf("one label for two rows: %v", err)
	}
	for name, o := range map[string]unfold.Options{"no labels": by(.5, nil), "labels alone": by(0, labels), "too much": by(2, labels)} {
		var option *unfold.OptionError
		if _, err := unfold.Fit(t.Context(), x, o); !errors.As(err, &option) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Maps of other kinds cannot be updated, and return an error.
func TestNotAllKindsLive(t *testing.T) {
	for _, kind := range []unfold.Kind{unfold.LLLVM, unfold.GPLVM} {
		m := fitted(t, cloud(40, 4, 1), unfold.Options{Kind: kind, Steps: 5})
		_, err := m.Insert(t.Context(), cloud(1, 4, 2))
		_, refresh := m.Refresh(t.Context())
		for _, err := range []error{err, refresh, m.Delete(t.Context(), []int{0})} {
			if !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, unfold.ErrBadInput) || !strings.Contains(err.Error(), string(kind)) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// Rows are placed from many goroutines while the map is updated. Every call uses one map, before or
// after a refresh.
func TestPlaceWhileItLives(t *testing.T) {
	x := cloud(300, 6, 6)
	m := fitted(t, x[:200], unfold.Options{Steps: 10})
	maps := []*mat.Dense{place(t, m, x)}
	var all sync.WaitGroup
	done := make(chan struct{})
	seen := make([][]*mat.Dense, 4)
	for w := range seen {
		all.Go(func() {
			for last := false; !last; {
				select {
				case <-done:
					last = true
				default:
				}
				if p, err := m.Place(t.Context(), x); err == nil {
					seen[w] = append(seen[w], p.Embedding)
				} else {
					t.Error(err)
				}
			}
		})
	}
	for i := range 5 {
		if _, err := m.Insert(t.Context(), x[200+20*i:220+20*i]); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		maps = append(maps, place(t, m, x))
	}
	close(done)
	all.Wait()
	for _, of := range seen {
		at := 0
		for _, e := range of {
			for at < len(maps) && !mat.Equal(maps[at], e) {
				at++
			}
		}
		if at == len(maps) {
			t.Error("a call saw places of no map, or of an older one than before")
		}
	}
}
