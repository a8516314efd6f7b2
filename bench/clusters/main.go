// Command clusters measures how clusters from approximate neighbour lists differ from exact ones,
// and prints a table in Markdown:
//
//	go run -C bench ./clusters [-n 100000] [-values 50] [-m 50]
//
// The rows are those of the benchmarks' clusters on curved sheets.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"unfold/bench/internal/synthetic"
	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/score"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "clusters:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("clusters", flag.ContinueOnError)
	n, dim, m := flags.Int("n", 100_000, "rows"), flags.Int("values", 50, "values of a row"), flags.Int("m", 50, "rank of the core distance")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintln(w, "| rows | values | m | recall | time, s | clusters | length of the tree | core distances that differ | rows with another label | adjusted Rand |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	return recalls(ctx, w, synthetic.Sheets(*n, *dim), *m)
}

// recalls prints the lines of the table. The first is exact.
func recalls(ctx context.Context, w io.Writer, x vec.Matrix[float32], m int) error {
	var exact *clusters.Clusters
	for _, recall := range []float64{1, .99, .95, .9} {
		begin := time.Now()
		c, err := clusters.Find(ctx, x, clusters.Settings{MinSamples: m, Recall: recall})
		if err != nil {
			return err
		}
		took := time.Since(begin).Seconds()
		if exact == nil {
			exact = c
		}
		cores, labels := 0, 0
		same := matched(exact, c)
		for i := range c.Label {
			if c.Core2[i] != exact.Core2[i] {
				cores++
			}
			if same[c.Label[i]] != exact.Label[i] {
				labels++
			}
		}
		class := slices.Clone(exact.Label)
		for i := range class {
			class[i] -= clusters.Noise // noise counts as one more class
		}
		p, err := score.Partitions(c.Label, class)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %d | %d | %g | %.1f | %d | %.6f | %.2f %% | %d | %.5f |\n", x.Rows, x.Cols, m, recall, took, c.Count(),
			length(c)/length(exact), 100*float64(cores)/float64(x.Rows), labels, p.Rand)
	}
	return nil
}

// matched returns, for each label of c, the exact label that most of its rows have.
func matched(exact, c *clusters.Clusters) map[int32]int32 {
	count, most, out := map[[2]int32]int{}, map[int32]int{}, map[int32]int32{}
	for i, l := range c.Label {
		pair := [2]int32{l, exact.Label[i]}
		if count[pair]++; count[pair] > most[l] {
			most[l], out[l] = count[pair], pair[1]
		}
	}
	return out
}

func length(c *clusters.Clusters) (sum float64) {
	for _, e := range c.Spanning {
		sum += math.Sqrt(e.Dist2)
	}
	return sum
}
