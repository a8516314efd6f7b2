package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Peers that make maps.
const (
	pacmap = "PaCMAP"
	umap   = "umap-learn"
)

func wholeRow() row {
	return row{
		key: "whole", title: "From files to a map",
		about: `The 70,000 digits of MNIST, from their idx.gz files to a written map in the plane, each program as a process with its defaults. The peers read the
files with NumPy, take 50 principal components by scikit-learn and write npy; their processes include compilation. Quality is that of
` + "`unfold score`" + `: the accuracy of nearest neighbours, and trustworthiness of 10 neighbours compared with the images (a sample of 1,000).`,
		targets: []target{
			{what: "wall, of PaCMAP's", value: share(pacmap, wall), bound: 0.2, format: "%.3f"},
			{what: "wall, of umap-learn's", value: share(umap, wall), bound: 0.08, format: "%.3f"},
			{what: "peak memory", value: figure(own, rss, 1e-9), bound: .33, unit: " GB", format: "%.2f"},
		},
		measure: measureWhole(2, own, pacmap, umap),
	}
}

func spaceRow() row {
	return row{
		key: "space", title: "From files to a map in space",
		about: `The same in three dimensions, with umap-learn.`,
		targets: []target{
			{what: "wall", value: figure(own, wall, 1), bound: 9, unit: " s", format: "%.1f"},
			{what: "wall, of umap-learn's", value: share(umap, wall), bound: 0.1, format: "%.3f"},
		},
		measure: measureWhole(3, own, umap),
	}
}

// measureWhole measures maps of dims dimensions with some programs.
func measureWhole(dims int, programs ...string) func(ctx context.Context, b *bench, r *record) error {
	return func(ctx context.Context, b *bench, r *record) error {
		d, err := b.images(ctx)
		if err != nil {
			return err
		}
		maps := map[string]string{own: b.file("whole.parquet"), pacmap: b.file("whole-pacmap.npy"), umap: b.file("whole-umap.npy")}
		begin := time.Now()
		spent := map[string]time.Duration{}
		for range b.size(rounds, 1) {
			for _, who := range programs {
				if spent[who] > patience {
					continue
				}
				clock := time.Now()
				if err := b.wholeOnce(ctx, r, who, dims, d, maps[who]); err != nil {
					return err
				}
				spent[who] += time.Since(clock)
			}
		}
		b.say("%.0f s for all rounds", time.Since(begin).Seconds())
		for _, who := range programs {
			if _, made := r.best(who, wall); made {
				if err := b.scoreWhole(ctx, r, who, d, maps[who]); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// wholeOnce makes one map with one program.
func (b *bench) wholeOnce(ctx context.Context, r *record, who string, dims int, d *digits, path string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if who == own {
		_, u, err := b.process(ctx, b.unfold, "fit", "-q", d.train, d.test, "--dims", strconv.Itoa(dims), "-o", b.file("whole.unfold"), "--map", path)
		if err != nil {
			return err
		}
		r.addUsage(own, u)
		return nil
	}
	u, err := b.peer(ctx, r, who, "whole", who, strconv.Itoa(dims), path, d.train, d.test)
	if err != nil {
		return err
	}
	// A missing peer has made no map.
	if _, err := os.Stat(path); err == nil {
		r.addUsage(who, u)
	}
	return nil
}

// scoreWhole records the quality of a map.
func (b *bench) scoreWhole(ctx context.Context, r *record, who string, d *digits, path string) error {
	out, _, err := b.process(ctx, b.unfold, "score", "-q", "--json", path, "--label-file", d.trainLabels+","+d.testLabels,
		"--data", d.train+","+d.test, "--rank", "10", "--sample", "1000", "--neighbors", "1,9")
	if err != nil {
		return err
	}
	var s struct {
		Labelled *struct {
			Accuracy []float64 `json:"accuracy"`
		} `json:"leave_one_out"`
		Data *struct {
			Trustworthiness float64 `json:"trustworthiness"`
		} `json:"structure"`
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		return fmt.Errorf("unfold score printed %q: %w", out, err)
	}
	if s.Labelled == nil || len(s.Labelled.Accuracy) != 2 || s.Data == nil {
		return fmt.Errorf("unfold score says too little: %s", out)
	}
	r.add(who, "1-NN accuracy", plain, s.Labelled.Accuracy[0])
	r.add(who, "9-NN accuracy", plain, s.Labelled.Accuracy[1])
	r.add(who, "trustworthiness", plain, s.Data.Trustworthiness)
	return nil
}
