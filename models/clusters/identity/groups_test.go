package identity_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/snapshot"
)

// TestFollow replaces the points of two groups map by map, while a third group appears and
// disappears. The state restored from each map's snapshot matches the groups, and continues in the
// same way.
func TestFollow(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	draw := func(x []float64, group int) {
		x[0], x[1] = 15*float64(group)+r.NormFloat64(), r.NormFloat64()
	}
	mu := vec.New[float64](600, 2)
	of := make([]int, mu.Rows)
	for i := range of {
		of[i] = i % 2
		draw(mu.Row(i), of[i])
	}
	set := clusters.Settings{MinSize: 30}
	var before *identity.Groups
	var third identity.ID
	for k := range 60 {
		row := same(mu.Rows)
		for range 60 {
			i := r.IntN(mu.Rows)
			row[i], of[i] = -1, i%2
			if k >= 4 && k < 14 && i%4 == 0 {
				of[i] = 2
			}
			draw(mu.Row(i), of[i])
		}
		g, c, err := identity.Follow(t.Context(), mu, before, row, set, identity.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := g.Parts()
		if err != nil {
			t.Fatal(err)
		}
		s := &snapshot.Snapshot{Mu: mu, Parts: parts}
		opened, err := identity.Open(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(opened.Matched, g.Matched) {
			t.Fatalf("map %d: opened %+v\nwas %+v", k, opened.Matched.State, g.Matched.State)
		}
		again, err := opened.Parts()
		if err != nil || !bytes.Equal(again[len(again)-1].Data.([]byte), parts[len(parts)-1].Data.([]byte)) {
			t.Errorf("map %d: the state is written otherwise: %v", k, err)
		}
		members, err := opened.Predict(t.Context(), vec.Of(2, 2, []float32{0, 0, 15, 0}))
		if err != nil {
			t.Fatal(err)
		}
		if members.ID[0] != g.ID[c.Label[slices.Index(of, 0)]] || members.ID[0] == members.ID[1] || members.ID[1] == identity.Noise {
			t.Errorf("map %d: the middles are in %v", k, members.ID)
		}
		for _, e := range g.Events {
			switch {
			case k == 0 || e.Kind == identity.Grew || e.Kind == identity.Shrank:
			case e.Kind == identity.Born && third == 0 && k > 4:
				third = e.ID
			case e.Kind == identity.Died && e.ID == third && k > 14:
				third = identity.Absent
			default:
				t.Errorf("map %d: %+v", k, e)
			}
		}
		mu, before = mu.Clone(), opened
	}
	if third != identity.Absent {
		t.Errorf("the third group was %d, and did not die", third)
	}
	if share := before.NoiseShare(); share > 0.2 {
		t.Errorf("%.2f of the points are noise", share)
	}
}

// TestOpenRefuses: a damaged state is refused.
func TestOpenRefuses(t *testing.T) {
	mu := dumbbell(12)
	g, _, err := identity.Follow(t.Context(), mu, nil, nil, clusters.Settings{}, identity.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := g.Parts()
	if err != nil {
		t.Fatal(err)
	}
	if none, err := identity.Open(&snapshot.Snapshot{Mu: mu}, 0); none != nil || err != nil {
		t.Errorf("a map without clusters: %v, %v", none, err)
	}
	for i, p := range whole {
		if i == 0 {
			continue // without it there are no clusters
		}
		parts := append(append([]snapshot.Part{}, whole[:i]...), whole[i+1:]...)
		back, err := identity.Open(&snapshot.Snapshot{Mu: mu, Parts: parts}, 0)
		if p.Name == "clusters.maps" { // as in files from before maps were counted
			if err != nil || !reflect.DeepEqual(back.Memory, g.Memory) {
				t.Errorf("without %s: %v, %v", p.Name, back, err)
			}
			continue
		}
		if !models.IsBadInput(err) {
			t.Errorf("without %s: %v", p.Name, err)
		}
	}
	for _, p := range whole {
		if v, ok := p.Data.([]uint64); ok && p.Cols == 1 {
			v[len(v)-1] = 77
		}
	}
	if _, err := identity.Open(&snapshot.Snapshot{Mu: mu, Parts: whole}, 0); !models.IsBadInput(err) {
		t.Errorf("an id that was never given: %v", err)
	}
}
