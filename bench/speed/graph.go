package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/nndescent"
)

const (
	pynndescent = "pynndescent"
	enough      = .99 // recall at which approximate answers are compared
	graphK      = 15
)

func graphRow() row {
	return row{
		key: "graph", title: "Approximate neighbour graph",
		about: `The 15 nearest others of each of the 70,000 x 50 vectors with a recall of at least 0.99: each program with its defaults, then with longer lists until it
reaches that. pynndescent's compilation does not count. Recall is the share of list places that hold a row as near as the true last neighbour.`,
		targets: []target{
			{what: "times as fast as pynndescent", value: faster(pynndescent, searching), bound: 1, above: true, format: "%.1f"},
			{what: "recall", value: figure(own, recall, 1), bound: enough, above: true, format: "%.3f"},
		},
		measure: measureGraph,
	}
}

const recall = "recall"

func measureGraph(ctx context.Context, b *bench, r *record) error {
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	s := knn.Settings{Threads: b.threads}
	truth, err := knn.Graph(ctx, d.z, graphK, s)
	if err != nil {
		return err
	}
	for _, length := range []int{0, 25, 30, 40, 60} {
		set := nndescent.Settings{Candidates: length, Seed: 1}
		nb, _, err := nndescent.Graph(ctx, d.z, graphK, set, s)
		if err != nil {
			return err
		}
		found := recallOf(nb, truth)
		if found < enough && length < 60 {
			continue
		}
		r.note("unfold's lists: %d candidates (0 is its default)", length)
		r.add(own, recall, plain, found)
		err = b.timed(r, searching, func() error {
			_, _, err := nndescent.Graph(ctx, d.z, graphK, set, s)
			return err
		})
		if err != nil {
			return err
		}
		break
	}
	last := b.file("truth.npy")
	if err := writeNPY(last, farthest(truth)); err != nil {
		return err
	}
	_, err = b.peer(ctx, r, pynndescent, "descent", d.zFile, last, fmt.Sprint(graphK))
	return err
}

// near is the factor for the distance of the true neighbour within which a row counts, because of
// rounding in single precision.
const near = 1 + 1e-5

// recallOf returns the share of listed rows that are as near as the true last neighbour.
func recallOf(nb, truth *knn.Neighbors) float64 {
	hits := 0
	for i := range nb.N {
		_, all := truth.Row(i)
		_, dist2 := nb.Row(i)
		for _, v := range dist2 {
			if v <= all[len(all)-1]*near {
				hits++
			}
		}
	}
	return float64(hits) / float64(nb.N*nb.K)
}

// farthest returns the squared distance of every list's last neighbour.
func farthest(nb *knn.Neighbors) vec.Matrix[float32] {
	out := vec.New[float32](nb.N, 1)
	for i := range nb.N {
		_, dist2 := nb.Row(i)
		out.Data[i] = float32(dist2[nb.K-1])
	}
	return out
}
