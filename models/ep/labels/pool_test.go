package labels

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// identity places vectors of the plane at themselves with the scale 0.1, and fails for vectors that
// are not finite.
type identity struct{ models.Placer }

func (identity) Place(_ context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if err := models.CheckRows(x, nil); err != nil {
		return models.Placed{}, err
	}
	p := models.Placed{Mu: x.Clone(), Sigma: make([]float32, x.Rows)}
	for i := range p.Sigma {
		p.Sigma[i] = .1
	}
	return p, nil
}

func TestPool(t *testing.T) {
	p := NewPool(2, 100)
	e := rings(2000, 2, 4)
	for i := range 1000 { // a run of one class, then a mixture
		p.Add([]float32{float32(i), 0}, "", "run")
	}
	for i := range 2000 {
		p.Add(vec.Convert[float32](e.Mu).Row(i), fmt.Sprint(i), e.Names[e.Class[i]])
	}
	if p.Len() != 100 || p.Seen() != 3000 {
		t.Fatalf("%d of %d", p.Len(), p.Seen())
	}
	runs := 0
	for _, l := range p.label {
		if l == "run" {
			runs++
		}
	}
	if runs < 18 || runs > 50 {
		t.Errorf("%d of 100 are of the run, a third of the stream", runs)
	}
	for id, i := range p.at {
		if p.id[i] != id {
			t.Fatalf("%q is not at %d", id, i)
		}
	}
}

// A rare class is kept, whether its events come before, between or after those of the others. The
// shares of the other classes stay as in the stream.
func TestRareClassesStay(t *testing.T) {
	p := NewPool(1, 1000)
	add := func(label string, n int) {
		for range n {
			p.Add([]float32{0}, "", label)
		}
	}
	add("early", 30)
	for range 3000 {
		add("many", 3)
		add("some", 1)
	}
	add("between", 60)
	for range 7000 {
		add("many", 3)
		add("some", 1)
	}
	add("late", 5)
	if p.Len() != 1000 || p.count["early"] != 30 || p.count["late"] != 5 || p.count["between"] < rare || p.count["between"] > 60 {
		t.Errorf("%v of %d", p.count, p.Len())
	}
	if share := float64(p.count["some"]) / float64(p.count["some"]+p.count["many"]); share < .21 || share > .29 {
		t.Errorf("%.3f of the frequent ones are of the class that a quarter has", share)
	}
	counted := map[string]int{}
	for _, l := range p.label {
		counted[l]++
	}
	if !reflect.DeepEqual(counted, p.count) {
		t.Errorf("counts %v of %v", p.count, counted)
	}
}

func TestPoolByID(t *testing.T) {
	p := NewPool(2, 10)
	p.Add([]float32{1, 2}, "a", "one")
	p.Add([]float32{3, 4}, "b", "two")
	p.Add([]float32{5, 6}, "", "two")
	p.Add([]float32{7, 8}, "a", "two")
	p.Add([]float32{9, 9}, "c", strings.Repeat("x", mostText+1))
	p.Add([]float32{9, 9}, strings.Repeat("x", mostText+1), "two")
	p.Delete("unknown")
	p.Delete("")
	if p.Len() != 3 || p.label[0] != "two" || p.x[0] != 7 {
		t.Errorf("%+v", p)
	}
	p.Delete("a")
	if p.Len() != 2 || p.x[0] != 5 || p.label[0] != "two" || p.at["b"] != 1 {
		t.Errorf("%+v", p)
	}
	parts, err := p.Parts()
	if err != nil {
		t.Fatal(err)
	}
	q, err := OpenPool(&snapshot.Snapshot{Dim: 2, Parts: parts}, 10)
	if err != nil || !reflect.DeepEqual(p, q) || !reflect.DeepEqual(p, p.Clone()) {
		t.Errorf("%+v, want %+v: %v", q, p, err)
	}
	for i := range parts {
		broken := append([]snapshot.Part(nil), parts...)
		broken[i] = snapshot.Part{Name: parts[i].Name, Rows: 1, Cols: 1, Data: []byte("{")}
		if _, err := OpenPool(&snapshot.Snapshot{Dim: 2, Parts: broken}, 10); err == nil {
			t.Errorf("part %s is taken", parts[i].Name)
		}
	}
}

func TestPoolTrains(t *testing.T) {
	p := NewPool(2, 0)
	e := rings(300, 2, 4)
	x := vec.Convert[float32](e.Mu)
	for i := range 300 {
		p.Add(x.Row(i), "", e.Names[e.Class[i]])
	}
	p.Add([]float32{float32(math.NaN()), 0}, "", "a")
	c, r, err := p.Train(context.Background(), identity{}, nil, Settings{Inducing: 30})
	if err != nil || r.Labelled != 300 || r.Classes != 2 {
		t.Fatal(r, err)
	}
	if _, r, err = p.Train(context.Background(), identity{}, c, Settings{Inducing: 30}); err != nil || r.Warm != 300 {
		t.Error(r, err)
	}
	if right, _ := judge(t, c, rings(300, 2, 5)); right < .9 {
		t.Errorf("%.2f right", right)
	}
	if _, _, err := NewPool(2, 0).Train(context.Background(), identity{}, nil, Settings{}); !models.IsBadInput(err) {
		t.Error(err)
	}
}
