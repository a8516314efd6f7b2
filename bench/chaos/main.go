// Command chaos writes a page with the results of package stream/chaos.
package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
	"unfold/stream/chaos/results"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	flags := harness.NewCommand("chaos", stderr)
	from := flags.String("results", filepath.Join("docs", "chaos"), "folder of the results")
	to := flags.String("o", filepath.Join("docs", "chaos.md"), "the page to write")
	if flags.Parse(args) != nil {
		return 2
	}
	var text bytes.Buffer
	if err := results.Page(&text, results.Folder(*from)); err != nil {
		return flags.End(err)
	}
	return flags.End(harness.WritePage(*to, text.Bytes()))
}
