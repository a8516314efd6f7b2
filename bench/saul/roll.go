package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
)

// rollResult is figure S9: levels of coarse-graining on a sheet without clusters.
type rollResult struct {
	Cells []rollCell
	Sheet rollClusters // of the places on the sheet that is rolled
}

type rollCell struct {
	Level      int
	Loglik     float64
	Trust      float64 // trustworthiness and continuity of 12 neighbours in the roll
	Continuity float64
	rollClusters
	CPU float64 // seconds of the fit
}

// rollClusters are the clusters of HDBSCAN* with at least a fiftieth of the points.
type rollClusters struct {
	Clusters  int
	Clustered float64 // share of the points in these
}

const (
	rollPoints = 5000
	rollEvery  = 4 // of the 20,000 points
)

func ofRoll(ctx context.Context, b *bench) (*rollResult, error) {
	err := b.sampleRoll()
	if err != nil {
		return nil, err
	}
	r := new(rollResult)
	for _, level := range []int{0, 1, 2} {
		f, err := b.fit(ctx, "roll", b.file("roll.csv"), "--columns", "x,y,z", "--keep", "u", "--pca", "none", "--neighbors", "9", "--core", "1", "--level", strconv.Itoa(level), "--dims", "2")
		if err != nil {
			return nil, err
		}
		c := rollCell{Level: level, Loglik: f.Loglik, CPU: f.CPU}
		if err := b.shape(ctx, &c); err != nil {
			return nil, err
		}
		if err := b.plot(ctx, "roll", fmt.Sprintf("roll-%d.png", level), fmt.Sprintf("Swiss roll, l = %d", level), "--color", "u"); err != nil {
			return nil, err
		}
		r.Cells = append(r.Cells, c)
	}
	r.Sheet, err = b.clusters(ctx, b.file("roll.csv"), "--columns", "u,v")
	return r, err
}

// sampleRoll writes every fourth point of the roll as roll.csv.
func (b *bench) sampleRoll() error {
	in, err := harness.Open(filepath.Join(b.data, "swissroll", "swiss_roll.csv.gz"))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(b.file("roll.csv"))
	if err != nil {
		return err
	}
	lines, w := bufio.NewScanner(in), bufio.NewWriter(out)
	for n := 0; lines.Scan() && n <= rollEvery*rollPoints; n++ {
		if n == 0 || n%rollEvery == 0 {
			fmt.Fprintln(w, lines.Text())
		}
	}
	if err = lines.Err(); err == nil {
		err = w.Flush()
	}
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// shape measures the map of the roll.
func (b *bench) shape(ctx context.Context, c *rollCell) error {
	out, err := b.run(ctx, "score", "-q", "--json", b.file("roll.parquet"), "--data", b.file("roll.csv"), "--columns", "x,y,z", "--sample", "0")
	if err != nil {
		return err
	}
	var s struct {
		Structure struct{ Trustworthiness, Continuity float64 }
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		return err
	}
	c.Trust, c.Continuity = s.Structure.Trustworthiness, s.Structure.Continuity
	c.rollClusters, err = b.clusters(ctx, b.file("roll.parquet"))
	return err
}

// clusters finds the clusters of a map, or of columns of a table given in args.
func (b *bench) clusters(ctx context.Context, of string, args ...string) (c rollClusters, err error) {
	out := b.file("clusters.csv")
	if _, err := b.run(ctx, append([]string{"clusters", "-q", of, "-o", out, "--min-size", strconv.Itoa(rollPoints / 50)}, args...)...); err != nil {
		return c, err
	}
	return countClusters(out)
}

// countClusters counts the clusters of a table, in which -1 is noise.
func countClusters(path string) (c rollClusters, err error) {
	of, err := harness.Column(path, "cluster")
	if err != nil {
		return c, err
	}
	if len(of) == 0 {
		return c, fmt.Errorf("%s has no rows", path)
	}
	found, within := map[string]bool{}, 0
	for _, cluster := range of {
		if cluster != "-1" {
			found[cluster] = true
			within++
		}
	}
	return rollClusters{len(found), float64(within) / float64(len(of))}, nil
}

func (r *rollResult) markdown(b *bench) string {
	text := fmt.Sprintf(`## Figure S9: a Swiss roll

%d points of Isomap's roll, k = 9, s = 1. In the paper the effect of coarse-graining is mild, and the map with l = 1 has no
spurious clusters. Clusters are found on the map by
HDBSCAN*, of at least %d points; the next column has the share of the points in them. The last row has the clusters of the sheet itself, whose points are
uniform, so that any cluster is due to chance. Trustworthiness and continuity are of 12 neighbours.

| l | log-likelihood | trustworthiness | continuity | clusters | of the points | time |
|---|---|---|---|---|---|---|
`, rollPoints, rollPoints/50)
	for _, c := range r.Cells {
		text += fmt.Sprintf("| %d | %.0f | %.4f | %.4f | %d | %s | %.0f s |\n", c.Level, c.Loglik, c.Trust, c.Continuity, c.Clusters, percent(c.Clustered), c.CPU)
	}
	text += fmt.Sprintf("| the sheet itself | | | | %d | %s | |\n\n", r.Sheet.Clusters, percent(r.Sheet.Clustered))
	var row []string
	for _, c := range r.Cells {
		row = append(row, fmt.Sprintf("![l = %d](%s)", c.Level, b.link(fmt.Sprintf("roll-%d.png", c.Level))))
	}
	return text + strings.Join(row, " ") + "\n\nColours are the way along the spiral.\n"
}
