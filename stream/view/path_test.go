package view

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest/table"
)

// on returns the state of the map with this version.
func on(version uint64) MapState { return MapState{ID: "m", Epoch: 1, Version: version} }

// shift returns the change from a version's map to the next. The change is not linear, so that the
// result shows which changes were applied and in which order.
func shift(version uint64) func(x, y float32) (float32, float32) {
	by := float32(version)
	return func(x, y float32) (float32, float32) { return x + by + y/8, y - by/2 + x*x/64 }
}

// at returns a single point with a place on a version's map.
func at(id string, version uint64, x, y float32) Rows {
	return Rows{ID: table.StringColumn("id", []string{id}), X: []float32{x}, Y: []float32{y}, Map: on(version)}
}

// A point, from whichever older map and however late, is shown where the changes since its map,
// each applied once, move it.
func TestPlacesOfOlderMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := New(Settings{})
		h.Refresh(on(1), Base{}, nil)
		type place struct {
			version uint64
			x, y    float32
		}
		put := map[string]place{}
		now := uint64(1)
		one := func(t *rapid.T) {
			id := fmt.Sprint(len(put))
			p := place{rapid.Uint64Range(1, now).Draw(t, "version"), rapid.Float32Range(-4, 4).Draw(t, "x"), rapid.Float32Range(-4, 4).Draw(t, "y")}
			put[id] = p
			if err := h.Put(at(id, p.version, p.x, p.y)); err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": one,
			"refresh": func(t *rapid.T) {
				if now == 9 {
					t.Skip("far enough")
				}
				move, meanwhile := shift(now), rapid.Bool().Draw(t, "meanwhile")
				one(t)
				h.Refresh(on(now+1), Base{}, func(x, y float32) (float32, float32) {
					if meanwhile { // others put points while places are computed
						meanwhile = false
						one(t)
					}
					return move(x, y)
				})
				now++
			},
			"": func(t *rapid.T) {
				for id, p := range put {
					x, y := p.x, p.y
					for v := p.version; v < now; v++ {
						x, y = shift(v)(x, y)
					}
					got, _, there := h.Point(id, 0)
					if !there || got.X != x || got.Y != y {
						t.Fatalf("%s of version %d is at (%v, %v) of version %d, want (%v, %v)", id, p.version, got.X, got.Y, now, x, y)
					}
				}
			},
		})
	})
}

// A point is not shown if its map's path to the current map is unknown: the map never existed, is
// not given, or is too old.
func TestPlacesOfUnknownMaps(t *testing.T) {
	h := New(Settings{})
	there := func(id string, version uint64) bool {
		if err := h.Put(at(id, version, 1, 1)); err != nil {
			t.Fatal(err)
		}
		_, _, there := h.Point(id, 0)
		return there
	}
	h.Refresh(on(1), Base{}, nil)
	if !there("a", 1) || there("b", 7) {
		t.Error("of the map that is shown the point is not there, or one of no map is")
	}
	h.Clear()
	h.Refresh(on(2), Base{}, nil)
	if there("a", 1) || !there("c", 2) {
		t.Error("a point of a map from which no way leads is there")
	}
	large := Base{Keys: make([]uint64, pathBytes/stepBytes/3), X: make([]float32, pathBytes/stepBytes/3), Y: make([]float32, pathBytes/stepBytes/3)}
	for v := uint64(2); v < 7; v++ {
		h.Refresh(on(v+1), large, shift(v))
	}
	if there("d", 3) || !there("e", 4) || !there("f", 6) {
		t.Errorf("%d changes are kept, want three", len(h.path))
	}
	huge := Base{Keys: make([]uint64, 1+pathBytes/stepBytes), X: make([]float32, 1+pathBytes/stepBytes), Y: make([]float32, 1+pathBytes/stepBytes)}
	h.Refresh(on(8), huge, shift(7))
	if there("g", 6) || !there("h", 7) {
		t.Errorf("%d changes are kept of a huge map, want one", len(h.path))
	}
}
