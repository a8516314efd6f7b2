package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "embed"

	"unfold/bench/internal/harness"
)

// method is a way to make a map.
type method struct {
	key, title string
	// settings describes the differences from the defaults.
	settings string
	// flags are those of `unfold fit`; peers have none.
	flags []string
	peer  bool
	// reduced is true for a peer that gets principal components alone.
	reduced bool
	// sets names the data sets that the method maps; nil means all. If wide is set, it maps only data
	// of more than reducedDims columns.
	sets []string
	wide bool
	// needs is a flag of `unfold fit` that earlier builds lack.
	needs string
}

// takes reports whether a method makes maps of a set.
func (m method) takes(p *prepared) bool {
	return (m.sets == nil || slices.Contains(m.sets, p.name)) && (!m.wide || p.Dim > reducedDims)
}

// tryPrefix is the prefix of the keys of -try's methods.
const tryPrefix = "try-"

func (m method) tried() bool { return strings.HasPrefix(m.key, tryPrefix) }

// Keys of the methods in targets.
const (
	byDefault = "unfold"
	byFifty   = "unfold-fifty"
	thorough  = "unfold-thorough"
	gaussian  = "unfold-gaussian"
	umap      = "umap"
	geodesic  = "unfold-geodesic"
	openTSNE  = "opentsne"
	dreamsPCA = "dreams-pca"
	dreamsMDS = "dreams-mds"
)

// methods are the columns of the page's tables.
func methods() []method {
	return []method{
		{key: byDefault, title: "unfold", settings: "its defaults"},
		{key: byFifty, title: "unfold --pca 50", settings: "`--pca 50`, which was the default", flags: []string{"--pca", "50"}, wide: true},
		{key: thorough, title: "unfold --thorough", settings: "`--thorough`", flags: []string{"--thorough"}},
		{key: gaussian, title: "unfold, Gaussian tails", settings: "`--tails gaussian`, the model as it was published", flags: []string{"--tails", "gaussian"}},
		{key: geodesic, title: "unfold --frame geodesic", settings: "`--frame geodesic`, of the swiss roll alone", flags: []string{"--frame", "geodesic"}, sets: []string{rollName}, needs: "--frame"},
		{key: umap, title: "UMAP", peer: true, settings: "its defaults, and the metric; no random_state, which would hold it to one thread, but NumPy's global seed"},
		{key: "pacmap", title: "PaCMAP", peer: true, settings: "its defaults (100 principal components of data with more), distance angular for cosine, random_state the seed"},
		{key: openTSNE, title: "openTSNE", peer: true, settings: "its defaults, and the metric; random_state the seed"},
		{key: dreamsPCA, title: "DREAMS-PCA", peer: true, reduced: true, settings: "written here on openTSNE's gradient, see below; lambda .1, the default of its authors' program; reference: two principal components"},
		{key: dreamsMDS, title: "DREAMS-MDS", peer: true, reduced: true, settings: "the same; reference: SQuad-MDS, 3,000 iterations"},
	}
}

// input are vectors for a map.
type input struct {
	path   string // npy
	metric string // "" for the Euclidean distance
	title  string // on the page, "" for the data as given
}

// inputs returns what a method makes maps of a set from. The better of two maps counts.
func (m method) inputs(p *prepared) []input {
	given, reduced := input{p.raw, p.metric, ""}, input{p.reduced, "", fmt.Sprintf("%d components", reducedDims)}
	switch {
	case m.reduced && p.Dim <= reducedDims:
		return []input{{p.reduced, "", ""}}
	case m.reduced:
		return []input{reduced}
	case m.peer && p.Dim > reducedDims:
		return []input{given, reduced}
	}
	return []input{given}
}

// job is one map to make.
type job struct {
	input
	output     string // npy
	dims, seed int    // default 2 and 1
	// timed requests the total time, too.
	timed bool
	// test are rows to place on the map, if not empty.
	test, placed string
}

func (j job) withDefaults() job {
	j.dims, j.seed = cmp.Or(j.dims, 2), cmp.Or(j.seed, 1)
	return j
}

// made describes how a map of a data set is made and scored. Earlier results are used only if
// theirs is equal.
func (b *bench) made(m method, j job, p *prepared) string {
	j = j.withDefaults()
	by := "unfold " + strings.Join(m.flags, " ")
	if m.peer {
		by = fmt.Sprintf("%s of peers.py %x", m.key, sha256.Sum256(slices.Concat(peersProgram, dreamsProgram, requirements)))
	}
	return fmt.Sprintf("%s of data as given, %s; %d dimensions, seed %d, %d threads, data %s; %d neighbours, %d points of more than %d",
		by, cmp.Or(p.metric, "euclidean"), j.dims, j.seed, b.threads, p.Stamp, rankNeighbors, samplePoints, allPoints)
}

// make makes a map and records its cost.
func (b *bench) make(ctx context.Context, m method, j job, r *result) error {
	j = j.withDefaults()
	if err := os.MkdirAll(filepath.Dir(j.output), 0o777); err != nil {
		return err
	}
	if m.peer {
		return b.makePeers(ctx, m, j, r)
	}
	return b.makeOwn(ctx, m, j, r)
}

// metricFlag returns the flag that names a metric, none for the Euclidean distance.
func metricFlag(metric string) []string {
	if metric == "" {
		return nil
	}
	return []string{"--metric", metric}
}

// makeOwn makes the map with a report, which contains the time of the parts. If the total time is
// requested, it makes the map again as a user would, because the report's scoring is not part of
// making it.
func (b *bench) makeOwn(ctx context.Context, m method, j job, r *result) error {
	model, report := j.output+".unfold", j.output+".json"
	args := slices.Concat([]string{"fit", "-q", j.path, "-o", model, "--dims", strconv.Itoa(j.dims), "--seed", strconv.Itoa(j.seed),
		"--threads", strconv.Itoa(b.threads)}, metricFlag(j.metric), m.flags)
	if b.quick {
		return b.asUser(ctx, args, j.output, r)
	}
	if _, err := b.timed(ctx, r, b.unfold, append(slices.Clone(args), "--map", j.output, "--report", report)...); err != nil {
		return err
	}
	if j.timed {
		if err := b.again(ctx, args, j.output, r); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	var f struct {
		Version string             `json:"version"`
		Seconds map[string]float64 `json:"seconds"`
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%s: %w", report, err)
	}
	r.Version = f.Version
	for stage, s := range f.Seconds {
		switch stage {
		case "total", "read", "write":
		default:
			r.Figures[embed] += s
		}
	}
	r.Figures[em] = f.Seconds["em"]
	if j.test == "" {
		return nil
	}
	clock := time.Now()
	if _, err := b.timed(ctx, r, b.unfold, "embed", "-q", j.test, "-m", model, "-o", j.placed); err != nil {
		return err
	}
	r.Figures[place] = time.Since(clock).Seconds()
	return nil
}

// again makes a map again without a report, measures the time and checks that the map is the same.
func (b *bench) again(ctx context.Context, args []string, first string, r *result) error {
	second := strings.TrimSuffix(first, ".npy") + "-again.npy"
	if err := b.asUser(ctx, args, second, r); err != nil {
		return err
	}
	if err := sameBytes(first, second); err != nil {
		return err
	}
	return os.Remove(second)
}

// asUser makes a map as a user would and records the total time.
func (b *bench) asUser(ctx context.Context, args []string, output string, r *result) error {
	clock := time.Now()
	_, err := b.timed(ctx, r, b.unfold, append(slices.Clone(args), "--map", output)...)
	r.Figures[whole] = time.Since(clock).Seconds()
	return err
}

// sameBytes checks that the same command made the same map.
func sameBytes(a, b string) error {
	n, err := differing(a, b)
	if err == nil && n > 0 {
		err = fmt.Errorf("the same command gave two maps: %s and %s differ in %d bytes", a, b, n)
	}
	return err
}

// differing counts the bytes in which two files differ.
func differing(a, b string) (int, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return 0, err
	}
	y, err := os.ReadFile(b)
	if err != nil {
		return 0, err
	}
	if len(x) < len(y) {
		x, y = y, x
	}
	n := len(x) - len(y)
	for i, v := range y {
		if x[i] != v {
			n++
		}
	}
	return n, nil
}

//go:embed peers.py
var peersProgram []byte

// dreamsProgram is the peer that peers.py imports.
//
//go:embed dreams.py
var dreamsProgram []byte

//go:embed requirements.txt
var requirements []byte

// environment makes the peers' Python environment, unless it is there.
func (b *bench) environment(ctx context.Context) error {
	for name, text := range map[string][]byte{"peers.py": peersProgram, "dreams.py": dreamsProgram} {
		if err := os.WriteFile(b.file(name), text, 0o666); err != nil {
			return err
		}
	}
	return b.peers.Make(ctx, b.out, requirements, b.say, func(ctx context.Context, name string, args ...string) error {
		_, err := b.command(ctx, name, args...)
		return err
	})
}

// makePeers makes the map with peers.py.
func (b *bench) makePeers(ctx context.Context, m method, j job, r *result) error {
	args := []string{b.file("peers.py"), m.key, j.path, j.output, "--dims", strconv.Itoa(j.dims), "--seed", strconv.Itoa(j.seed),
		"--threads", strconv.Itoa(b.threads)}
	args = append(args, metricFlag(j.metric)...)
	if j.test != "" {
		args = append(args, "--place", j.test, j.placed)
	}
	run := func() ([]byte, error) { return b.timed(ctx, r, harness.Interpreter(b.peers.Dir(b.out)), args...) }
	if b.untimed || j.test == "" && j.seed > 1 {
		args = append(args, "--untimed")
		run = func() ([]byte, error) { return b.command(ctx, harness.Interpreter(b.peers.Dir(b.out)), args...) }
	}
	text, err := run()
	if err != nil {
		return err
	}
	// Libraries may print, too. Our output is the last line.
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var f struct {
		Version, Python     string
		Embed, Place, Whole float64
	}
	if err := json.Unmarshal(lines[len(lines)-1], &f); err != nil {
		return fmt.Errorf("%s printed %q: %w", m.key, text, err)
	}
	r.Version, r.Python = f.Version, f.Python
	r.Figures[embed], r.Figures[whole] = f.Embed, f.Whole
	if j.test != "" {
		r.Figures[place] = f.Place
	}
	return nil
}
