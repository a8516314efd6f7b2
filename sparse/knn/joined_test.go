package knn_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// TestJoined: exact lists stay as they are, ties included. Lists from which a fifth of the
// neighbours was dropped become nearly exact, at exact distances.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		name string
		grid int // values are whole numbers below; 0: any
		d    distance.Distance
	}{{"normal", 0, distance.Euclidean}, {"ties", 8, distance.Euclidean}, {"manhattan", 0, distance.Manhattan}} {
		r := rand.New(rand.NewPCG(9, 4))
		x := vec.New[float32](1500, 6)
		for i := range x.Data {
			if x.Data[i] = float32(r.NormFloat64()); c.grid > 0 {
				x.Data[i] = float32(r.IntN(c.grid))
			}
		}
		const k = 20
		s := knn.Settings{Threads: 2, Distance: c.d}
		exact, err := knn.Graph(t.Context(), x, 2*k, s)
		if err != nil {
			t.Fatal(err)
		}
		want := exact.First(k)
		if got, err := knn.Joined(t.Context(), x, want, s); err != nil || !sameLists(got, want) {
			t.Errorf("%s: exact lists change: %v", c.name, err)
		}
		some := knn.EmptyNeighbors(x.Rows, k)
		for i := range x.Rows {
			near, far := exact.Row(i)
			index, dist2 := some.Row(i)
			for at, have := 0, 0; have < k; at++ {
				if r.Float64() < 0.8 {
					index[have], dist2[have] = near[at], far[at]
					have++
				}
			}
		}
		got, err := knn.Joined(t.Context(), x, some, s)
		if err != nil {
			t.Fatal(err)
		}
		if before, after := recalled(some, want), recalled(got, want); before > 0.85 || after < 0.995 {
			t.Errorf("%s: lists with a recall of %.3f have %.4f", c.name, before, after)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := knn.Joined(ctx, x, some, s); err == nil {
			t.Error("a context that has ended")
		}
	}
}

func sameLists(a, b *knn.Neighbors) bool {
	for i := range a.N {
		near, far := a.Row(i)
		index, dist2 := b.Row(i)
		for k := range near {
			if near[k] != index[k] || far[k] != dist2[k] {
				return false
			}
		}
	}
	return true
}

// recalled returns the share of the pairs of want that are in got, at the same distance.
func recalled(got, want *knn.Neighbors) float64 {
	have := 0
	for i := range want.N {
		near, far := want.Row(i)
		index, dist2 := got.Row(i)
		for k, j := range near {
			for q, o := range index {
				if o == j && dist2[q] == far[k] {
					have++
				}
			}
		}
	}
	return float64(have) / float64(len(want.Index))
}
