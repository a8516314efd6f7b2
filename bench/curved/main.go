// Command curved prints, for files of vectors, how well maps of distances and of path lengths
// preserve them, and the resulting decision of models/mds.Curved.
//
//	bin/bench/curved -d 2 -seeds 5 out/quality/data/*/input.npy
//
// Vectors of more than 50 columns are projected onto 50 principal components, as a fit does.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"unfold/bench/internal/harness"
	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/mds"
	"unfold/models/pca"
)

// inputDims is the default number of principal components of a fit.
const inputDims = 50

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := harness.NewCommand("curved", stderr)
	d := flags.Int("d", 2, "dimensions of the maps")
	seeds := flags.Uint64("seeds", 5, "how many samples are drawn of each file; least and largest stress are printed")
	columns := flags.String("columns", "", "the columns that make a row's vector, as of unfold fit; by default the only vector column")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() == 0 || *seeds == 0 {
		flags.Say("name files of vectors, and at least one seed")
		return 2
	}
	fmt.Fprintln(stdout, "| file | rows | stress of distances | stress of paths | curved |\n|---|---|---|---|---|")
	for _, path := range flags.Args() {
		x, err := read(ctx, path, *columns)
		if err != nil {
			return flags.End(fmt.Errorf("%s: %w", path, err))
		}
		var distances, paths []float64
		curved := 0
		for seed := range *seeds {
			c, err := mds.Curved(ctx, x, *d, mds.Settings{Seed: seed})
			if err != nil {
				return flags.End(fmt.Errorf("%s: %w", path, err))
			}
			distances, paths = append(distances, c.Euclidean), append(paths, c.Geodesic)
			if c.Curved {
				curved++
			}
		}
		fmt.Fprintf(stdout, "| %s | %d | %s | %s | %d of %d |\n", path, x.Rows, span(distances), span(paths), curved, *seeds)
	}
	return 0
}

// read returns the vectors of a file after a fit's projection.
func read(ctx context.Context, path, columns string) (x vec.Matrix[float32], err error) {
	var options ingest.ReadOptions
	if columns != "" {
		if options.Mapping.Columns, err = ingest.ParseColumns(columns); err != nil {
			return x, err
		}
	}
	data, err := ingest.ReadAll(ctx, []string{path}, options)
	if err != nil {
		return x, err
	}
	if data.X.Cols <= inputDims {
		return data.X, nil
	}
	p, err := pca.Fit(ctx, data.X, inputDims, pca.Settings{Seed: 1})
	if err != nil {
		return data.X, err
	}
	return pca.NewProjector(p.Mean, p.Components).Apply(data.X, 0), nil
}

// span formats the least and the largest of numbers.
func span(v []float64) string { return fmt.Sprintf("%.3f to %.3f", slices.Min(v), slices.Max(v)) }
