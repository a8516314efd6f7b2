package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

// bench is one run of the command.
type bench struct {
	data, out                             string
	rows, each, background, many, threads int
	small, keep                           bool
	peers                                 harness.Peers
	log                                   io.Writer
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("reasons", stderr)
	b := &bench{log: stderr, many: 20_000}
	flags.Data(&b.data, "nslkdd/ and kddcup99/")
	page := flags.String("o", filepath.Join("docs", "reasons.md"), "the page to write")
	flags.StringVar(&b.out, "out", filepath.Join("out", "reasons"), "folder for results, one file per data set")
	flags.IntVar(&b.rows, "rows", 2000, "normal connections that are the reference")
	flags.IntVar(&b.each, "each", 3, "events of each attack")
	flags.IntVar(&b.background, "background", 20, "reference points that SHAP takes absent columns from")
	flags.IntVar(&b.threads, "threads", 2, "threads of a fit")
	flags.BoolVar(&b.keep, "keep", false, "use the results of earlier runs in the folder -out")
	flags.BoolVar(&b.small, "small", false, "the bundled sample, in seconds: to see that it works")
	flags.Peers(&b.peers, "; so with -small unless -venv is given")
	if flags.Parse(args) != nil || !b.small && !flags.HasData(b.data) {
		return 2
	}
	if b.small {
		b.rows, b.many = 500, 2000
	}
	verdicts, err := b.all(ctx, *page)
	if err != nil {
		return flags.End(err)
	}
	return flags.Written(*page, "figures", verdicts)
}

// all measures all data sets and writes the page.
func (b *bench) all(ctx context.Context, page string) (map[string]int, error) {
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return nil, err
	}
	if !b.noPeers() {
		if err := b.peers.Make(ctx, b.out, requirements, b.say, func(ctx context.Context, name string, args ...string) error {
			_, err := command(ctx, name, args...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	list := sets
	if b.small {
		list = []set{{"toy", "The bundled sample", "", toy}}
	}
	var all []*outcome
	for _, s := range list {
		o, err := b.kept(s)
		if err != nil {
			return nil, err
		}
		if o == nil {
			if o, err = b.measure(ctx, s); err != nil {
				return nil, err
			}
			if err := harness.WriteJSON(b.file(s.key+".json"), o); err != nil {
				return nil, err
			}
		}
		all = append(all, o)
	}
	return write(page, all)
}

// kept returns an earlier run's result, nil if there is none or none is wanted.
func (b *bench) kept(s set) (*outcome, error) {
	text, err := os.ReadFile(b.file(s.key + ".json"))
	if !b.keep || os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := new(outcome)
	return o, json.Unmarshal(text, o)
}

func (b *bench) noPeers() bool { return b.peers.Skip || b.small && b.peers.Venv == "" }

func (b *bench) file(name string) string { return filepath.Join(b.out, name) }

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }
