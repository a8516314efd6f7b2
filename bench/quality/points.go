package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
)

// loadRoll reads points x,y,z of the roll and their places u,v on the sheet.
func loadRoll(_ context.Context, dir string) (*table, error) {
	t := new(table)
	return t, lines(filepath.Join(dir, "swiss_roll.csv.gz"), ',', 4, func(f []string) error {
		if t.names == nil {
			t.names = slices.Clone(f[3:])
			return nil
		}
		if err := t.addRow(f[:3]); err != nil {
			return err
		}
		return t.addKnown(f[3:])
	})
}

// loadClimate reads the monthly precipitation and the location of stations.
func loadClimate(_ context.Context, dir string) (*table, error) {
	t := new(table)
	return t, lines(filepath.Join(dir, "prcp_mean_2005_2014.csv"), ',', 5, func(f []string) error {
		if t.names == nil {
			t.names = slices.Clone(f[1:3])
			return nil
		}
		if err := t.addRow(f[4:]); err != nil {
			return err
		}
		return t.addKnown(f[1:3])
	})
}

// loadMammoth reads points x, y, z of a surface: a list of lists of numbers.
func loadMammoth(_ context.Context, dir string) (*table, error) {
	path := filepath.Join(dir, "mammoth_3d.json.gz")
	f, err := harness.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &table{names: []string{"x", "y", "z"}}
	if err := json.NewDecoder(f).Decode(&t.known); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.x = vec.New[float32](len(t.known), len(t.names))
	for i, point := range t.known {
		if len(point) != len(t.names) {
			return nil, fmt.Errorf("%s: point %d has %d numbers, not %d", path, i+1, len(point), len(t.names))
		}
		for c, v := range point {
			t.x.Row(i)[c] = float32(v)
		}
	}
	return t, nil
}
