package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"unfold/ingest"
)

// maps makes and scores our maps, each in its own process, and umap-learn's, all in one process.
func (b *bench) maps(ctx context.Context, r *results, s set, lines []line) error {
	args := []string{"maps", strconv.Itoa(b.threads)}
	var made []int
	for k, m := range s.metrics {
		if !s.maps(m) {
			continue
		}
		made = append(made, k)
		path, to := b.path(s, m), b.mapOf(own, m)
		fit := append([]string{"fit", "-q", path, "-o", filepath.Join(b.out, "map.unfold"), "--map", to, "--threads", strconv.Itoa(b.threads)}, s.flags(m)...)
		_, u, err := b.process(ctx, b.unfold, fit...)
		if err != nil {
			return err
		}
		lines[k].Maps = append(lines[k].Maps, quality{Program: own, CPU: u.CPU})
		args = append(args, path, string(m), b.mapOf(umap, m))
	}
	a, _, err := b.ask(ctx, r, args...)
	if err != nil {
		return err
	}
	if len(a.Maps) != len(made) {
		return fmt.Errorf("peers.py made %d maps, want %d", len(a.Maps), len(made))
	}
	for i, k := range made {
		l := &lines[k]
		l.Maps = append(l.Maps, quality{Program: umap, CPU: a.Maps[i]})
		for j := range l.Maps {
			if err := b.score(ctx, s, l.Metric, &l.Maps[j]); err != nil {
				return fmt.Errorf("%s: %w", l.Metric, err)
			}
		}
	}
	return nil
}

// mapOf returns the file of a program's map for a metric.
func (b *bench) mapOf(who string, m ingest.Metric) string {
	return filepath.Join(b.out, who+"-"+string(m)+".npy")
}

// flags returns the flags with which the program reads the set.
func (s set) flags(m ingest.Metric) []string {
	if s.columns == "" {
		return []string{"--metric", string(m)}
	}
	return []string{"--metric", string(m), "--columns", s.columns}
}

// score judges a map.
func (b *bench) score(ctx context.Context, s set, m ingest.Metric, q *quality) error {
	args := append([]string{"score", "-q", "--json", b.mapOf(q.Program, m), "--data", b.path(s, m), "--beside", filepath.Join(b.out, s.key+"-labels.csv"),
		"--label", "label", "--neighbors", "1,9", "--sample", strconv.Itoa(scored)}, s.flags(m)...)
	out, _, err := b.process(ctx, b.unfold, args...)
	if err != nil {
		return err
	}
	var score struct {
		Labelled struct {
			Accuracy []float64 `json:"accuracy"`
		} `json:"leave_one_out"`
		Data struct {
			RNX   float64 `json:"rnx_auc"`
			Trust float64 `json:"trustworthiness"`
		} `json:"structure"`
	}
	if err := json.Unmarshal([]byte(out), &score); err != nil {
		return fmt.Errorf("unfold score printed %q: %w", out, err)
	}
	if len(score.Labelled.Accuracy) != 2 {
		return fmt.Errorf("unfold score says too little: %s", out)
	}
	q.RNX, q.Trust = score.Data.RNX, score.Data.Trust
	q.One, q.Nine = score.Labelled.Accuracy[0], score.Labelled.Accuracy[1]
	return nil
}
