package labels

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// firstFormat reads a model file whose classifier is one process for the whole map.
func firstFormat(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.ReadFile(filepath.Join("testdata", "first.unfold"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A model file from the time when a classifier was one process for the whole map (first.json) still
// predicts the same. It is written again unchanged.
func TestFirstFormat(t *testing.T) {
	s := firstFormat(t)
	text, err := os.ReadFile(filepath.Join("testdata", "first.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Names         []string
		Places, Sigma []float32
		Probabilities []float64
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	c, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Names, want.Names) || len(want.Probabilities) != len(c.Names)*len(want.Sigma) {
		t.Fatalf("classes %q, want %q", c.Names, want.Names)
	}
	p := probabilities(t, c, models.Placed{Mu: vec.Of(len(want.Sigma), s.Mu.Cols, want.Places), Sigma: want.Sigma}, 2)
	for i, v := range p.Data {
		if math.Abs(v-want.Probabilities[i]) > 1e-9 {
			t.Fatalf("probability %d is %.12g, was %.12g", i, v, want.Probabilities[i])
		}
	}
	parts, err := c.Parts()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		old, ok := s.Part(part.Name)
		if !ok || old.Rows != part.Rows || old.Cols != part.Cols {
			t.Errorf("part %s of %d x %d", part.Name, part.Rows, part.Cols)
		}
	}
	// The next training starts without it.
	e := rings(200, 3, 1)
	if _, r := train(t, e, c, Settings{Inducing: 20, Fixed: true}); r.Warm != 0 || r.Tried == 0 {
		t.Errorf("%+v", r)
	}
}
