package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// options are the options of the command line.
type options struct {
	data, out, page string
	program         string // unfold
	size, threads   int
	small, young    bool
	held            bool // of young, print only the table of major refreshes
	clustered       bool // write the page about clusters
	only            []string
	settings        string
	peers           harness.Peers
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := harness.NewCommand("refresh", stderr)
	o, ok := parse(flags, args)
	if !ok {
		return 2
	}
	begin := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(stderr, "%6.1f s  "+format+"\n", append([]any{time.Since(begin).Seconds()}, args...)...)
	}
	l, err := o.lab(ctx, say)
	if err == nil && o.young {
		if o.held {
			err = l.heldMaps(ctx, stdout)
		} else if err = l.young(ctx, stdout); err == nil {
			err = l.youngMaps(ctx, stdout)
		}
		if err != nil {
			return flags.End(err)
		}
		return 0
	}
	var targets []target
	if err == nil {
		if o.clustered {
			targets, err = o.clusters(ctx, l, begin)
		} else {
			targets, err = o.refreshes(ctx, l, begin)
		}
	}
	if err != nil {
		return flags.End(err)
	}
	return flags.Written(o.page, "figures", count(targets))
}

// refreshes measures the requested parts and writes the page.
func (o *options) refreshes(ctx context.Context, l *lab, begin time.Time) ([]target, error) {
	if err := o.environment(ctx, l); err != nil {
		return nil, err
	}
	if err := o.measure(ctx, l, begin); err != nil {
		return nil, err
	}
	return o.write()
}

func parse(flags *harness.Command, args []string) (o options, ok bool) {
	flags.Data(&o.data, "mnist/, kddcup99/, glosses/ and usps/")
	flags.StringVar(&o.out, "out", "out/refresh", "folder for results")
	flags.StringVar(&o.page, "o", "", "the page to write; default docs/refresh.md, with -small in OUT")
	flags.StringVar(&o.program, "unfold", "bin/unfold", "the program whose stages are run")
	flags.IntVar(&o.size, "size", 20000, "points of the reference set")
	flags.IntVar(&o.threads, "threads", 2, "threads of everything that is measured")
	flags.BoolVar(&o.small, "small", false, "toy data, in seconds: to see that it works")
	flags.BoolVar(&o.young, "young", false, "print the tables of docs/decisions/refresh.md that are about young points and young maps, instead of a page")
	flags.BoolVar(&o.held, "held", false, "of -young, print the table of major refreshes alone, some minutes")
	flags.BoolVar(&o.clustered, "clusters", false, "measure how clusters keep their ids, and write docs/clusters.md instead")
	flags.StringVar(&o.settings, "settings", "{}", "settings of the live map as JSON, to try others than the defaults")
	flags.Peers(&o.peers, "; so with -small unless -venv is given")
	only := flags.String("only", "", "measure these scenarios alone, such as stationary,growth; of the others, earlier results are used")
	if flags.Parse(args) != nil {
		return o, false
	}
	if o.page == "" {
		name, dir := "refresh.md", "docs"
		if o.clustered {
			name = "clusters.md"
		}
		if o.small {
			dir = o.out
		}
		o.page = filepath.Join(dir, name)
	}
	if *only != "" {
		if o.only, ok = flags.Chosen(*only, names()); !ok {
			return o, false
		}
	}
	return o, o.small || flags.HasData(o.data)
}

func names() (list []string) {
	for _, s := range scenarios() {
		list = append(list, s.name)
	}
	return list
}

// lab loads the data.
func (o *options) lab(ctx context.Context, say func(string, ...any)) (*lab, error) {
	l := &lab{long: 100, say: say}
	if err := json.Unmarshal([]byte(o.settings), &l.set); err != nil {
		return nil, fmt.Errorf("-settings: %w", err)
	}
	l.set.LVM.Threads, l.threads, l.out, l.program = o.threads, o.threads, o.out, o.program
	t := &l.traffic
	t.size, t.first, t.block, t.refit = 4000, 2000, 2000, 100_000
	l.large, l.starts, l.probes, l.still = 100_000, 5, 1000, 250*time.Millisecond
	if o.small {
		t.size, t.first, t.block, t.refit, t.few = 300, 200, 200, 1000, 3000
		l.large, l.starts, l.probes, l.still = 1000, 2, 50, 10*time.Millisecond
		// A cycle of 20 refreshes of 3 points each.
		o.size, l.long, l.d = 300, 20, toy(1500)
		l.set.LVM.Steps, l.set.Backstop = 20, 20
	} else {
		l.dir = o.data
		var err error
		if l.d, err = digits(ctx, o.data, o.threads); err != nil {
			return nil, err
		}
	}
	l.size, l.min = o.size, o.size/10
	return l, nil
}

// wanted reports whether a scenario is selected.
func (o *options) wanted(name string) bool { return len(o.only) == 0 || slices.Contains(o.only, name) }

// environment makes the peers' Python environment if they are wanted, unless it exists or another
// one is given.
func (o *options) environment(ctx context.Context, l *lab) error {
	l.venv = o.peers.Dir(o.out)
	switch {
	case !o.wanted(inOrder):
	case o.peers.Skip, o.small && o.peers.Venv == "":
		l.noPeers = "peers are skipped"
	default:
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return err
		}
		err := o.peers.Make(ctx, o.out, requirements, l.say, func(ctx context.Context, name string, args ...string) error {
			out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%s: %w\n%s", name, err, out)
			}
			return nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			l.say("no peer is measured: %v", err)
			l.noPeers = "the peers' environment could not be made"
		}
	}
	return nil
}

// measure runs the scenarios that are wanted.
func (o *options) measure(ctx context.Context, l *lab, begin time.Time) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for _, s := range scenarios() {
		if !o.wanted(s.name) {
			continue
		}
		l.say("%s", s.name)
		r := &outcome{
			Scenario: s.name, Data: l.d.name, Run: begin.UTC().Format("20060102T150405"), Toy: o.small, Size: l.size, Block: l.block(),
			Settings: o.settings, Environment: o.where(), Marks: map[string]mark{}, Figures: map[string]float64{},
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

// results reads the results of this run and earlier ones.
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
