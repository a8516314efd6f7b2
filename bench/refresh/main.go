package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unfold/bench/internal/harness"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

// options are what the command line says.
type options struct {
	data, out, page string
	size, threads   int
	small           bool
	only            []string
	settings        string
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	o, ok := parse(args, stderr)
	if !ok {
		return 2
	}
	begin := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(stderr, "%6.1f s  "+format+"\n", append([]any{time.Since(begin).Seconds()}, args...)...)
	}
	l, err := o.lab(ctx, say)
	if err == nil {
		err = o.measure(ctx, l, begin)
	}
	var bars []bar
	if err == nil {
		bars, err = o.write()
	}
	if err != nil {
		fmt.Fprintln(stderr, "refresh:", err)
		return 1
	}
	n := count(bars)
	fmt.Fprintf(stderr, "%s is written; %d figures are met, %d are missed, %d are not measured\n", o.page, n[met], n[missed], n[notMeasured])
	return min(n[missed], 1)
}

func parse(args []string, stderr io.Writer) (o options, ok bool) {
	flags := flag.NewFlagSet("refresh", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.data, "data", os.Getenv("UNFOLD_DATA"), "folder that holds mnist/")
	flags.StringVar(&o.out, "out", "out/refresh", "folder for results")
	flags.StringVar(&o.page, "o", "", "the page to write; default docs/refresh.md, with -small OUT/refresh.md")
	flags.IntVar(&o.size, "size", 20000, "points of the reference set")
	flags.IntVar(&o.threads, "threads", 2, "threads of everything that is measured")
	flags.BoolVar(&o.small, "small", false, "toy data, in seconds: to see that it works")
	flags.StringVar(&o.settings, "settings", "{}", "settings of the live map as JSON, to try others than the defaults")
	only := flags.String("only", "", "measure these scenarios alone, such as stationary,growth; of the others, earlier results are used")
	if flags.Parse(args) != nil {
		return o, false
	}
	if o.page == "" {
		o.page = filepath.Join("docs", "refresh.md")
		if o.small {
			o.page = filepath.Join(o.out, "refresh.md")
		}
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	for _, name := range o.only {
		if !slices.ContainsFunc(scenarios(), func(s scenario) bool { return s.name == name }) {
			fmt.Fprintf(stderr, "refresh: -only: there is no scenario %q\n", name)
			return o, false
		}
	}
	if o.data == "" && !o.small {
		fmt.Fprintln(stderr, "refresh: name the data folder: -data DIR or UNFOLD_DATA=DIR")
		return o, false
	}
	return o, true
}

// lab loads the data.
func (o *options) lab(ctx context.Context, say func(string, ...any)) (*lab, error) {
	l := &lab{long: 100, say: say}
	if err := json.Unmarshal([]byte(o.settings), &l.set); err != nil {
		return nil, fmt.Errorf("-settings: %w", err)
	}
	l.set.LVM.Threads = o.threads
	if o.small {
		// A cycle of 20 refreshes of 3 points each.
		o.size, l.long, l.d = 300, 20, toy(1500)
		l.set.LVM.Steps, l.set.Backstop = 20, 20
	} else {
		var err error
		if l.d, err = digits(ctx, o.data, o.threads); err != nil {
			return nil, err
		}
	}
	l.size, l.min, l.set.Size = o.size, o.size/10, o.size
	return l, nil
}

// measure runs the scenarios that are wanted.
func (o *options) measure(ctx context.Context, l *lab, begin time.Time) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for _, s := range scenarios() {
		if len(o.only) > 0 && !slices.Contains(o.only, s.name) {
			continue
		}
		l.say("%s", s.name)
		r := &outcome{
			Scenario: s.name, Data: l.d.name, Run: begin.UTC().Format("20060102T150405"), Toy: o.small, Size: l.size, Block: l.block(),
			Settings: o.settings, Marks: map[string]mark{}, Figures: map[string]float64{},
		}
		if err := s.run(l, ctx, r); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := harness.WriteJSON(o.file(s.name), r); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) file(name string) string { return filepath.Join(o.out, name+".json") }

// results reads what this run and earlier ones left.
func (o *options) results() (map[string]*outcome, error) {
	all := map[string]*outcome{}
	for _, s := range scenarios() {
		text, err := os.ReadFile(o.file(s.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r := new(outcome)
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("%s: %w", o.file(s.name), err)
		}
		all[s.name] = r
	}
	return all, nil
}
