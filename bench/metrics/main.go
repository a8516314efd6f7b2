// Command metrics measures neighbours and maps for every metric, in comparison with brute force by
// scipy and with maps of umap-learn, and writes docs/metrics.md. The results are in a folder next
// to the page.
package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"unfold/bench/internal/harness"
)

func main() {
	if code, ok := harness.ProcessMain(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("metrics", stderr)
	b := &bench{say: flags.Say, log: stderr}
	flags.StringVar(&b.unfold, "unfold", filepath.Join("bin", "unfold"), "the program to measure")
	flags.Data(&b.data, "usps/, mnist/ and climate/")
	flags.StringVar(&b.out, "out", filepath.Join("out", "metrics"), "folder for data and maps")
	flags.Peers(&b.peers, "; write the page from the results of the last run")
	flags.IntVar(&b.threads, "threads", 2, "threads of the maps; searches have one")
	flags.IntVar(&b.rounds, "rounds", 5, "how often searches are measured; the least time counts")
	only := flags.String("only", "", "measure these sets alone, such as usps,stations; of the others, results of the last run are used")
	page := flags.String("o", filepath.Join("docs", "metrics.md"), "the page to write; its results go to a folder beside it, of its name")
	if flags.Parse(args) != nil {
		return 2
	}
	chosen, ok := flags.Chosen(*only, keys())
	if !ok || !b.peers.Skip && !flags.HasData(b.data) {
		return 2
	}
	path := resultsOf(*page)
	r, err := readResults(path)
	if err == nil && !b.peers.Skip {
		err = b.measure(ctx, r, chosen, path)
	}
	if err == nil {
		err = r.write(*page)
	}
	if err != nil {
		return flags.End(err)
	}
	return flags.Written(*page, "figures", r.verdicts())
}

// resultsOf returns the file of a page's results.
func resultsOf(page string) string {
	return filepath.Join(strings.TrimSuffix(page, ".md"), "results.json")
}
