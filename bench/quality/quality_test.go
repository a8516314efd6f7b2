package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
)

// measured returns a bench with results for a labelled set (mnist), another one (usps) and one with
// targets (faces).
func measured(t *testing.T) (*bench, []*prepared) {
	t.Helper()
	b := &bench{log: io.Discard, out: t.TempDir(), threads: 2, results: map[string]*result{}}
	var sets []*prepared
	for _, d := range datasets("") {
		switch d.name {
		case "mnist", "usps":
			sets = append(sets, &prepared{dataset: d, Rows: 70000, Dim: 784, Labelled: 70000, Classes: 10})
		case "faces":
			sets = append(sets, &prepared{dataset: d, Rows: 698, Dim: 1024})
		}
	}
	put := func(name string, one, nine, trustworthy float64) {
		r := &result{Run: "a", Version: "1", Figures: map[string]float64{nn1: one, nn9: nine, trust: trustworthy,
			rnx: .6, recall10: .4, recall30: .4, recall100: .3, cont: .9, shepard: .5, triplets: .6, centroids: .4, embed: 3, whole: 5, em: 2, others: .02}}
		set, key, _ := strings.Cut(name, "/")
		for seed := 1; seed <= seedCount; seed++ {
			b.results[mapName(set, key, seed)] = r
		}
	}
	put("mnist/unfold", .974, .978, .9943)
	put("mnist/"+byFifty, .9745, .9779, .9953)
	put("usps/"+byFifty, .95, .97, .981)
	put("faces/"+byFifty, .2, .25, .99)
	put("mnist/unfold-thorough", .9746, .9781, .9958)
	put("mnist/umap", .957, .975, .959)
	put("mnist/pacmap", .957, .9754, .954)
	put("mnist/opentsne", .9716, .9768, .9958)
	for _, key := range []string{dreamsPCA, dreamsMDS} {
		put("mnist/"+key, .95, .97, .9)
		put("usps/"+key, .93, .96, .97)
		put("faces/"+key, .3, .3, .97)
	}
	put("usps/unfold", .95, .97, .98)
	put("usps/umap", .94, .9701, .9801)
	put("usps/pacmap", .93, .96, .97)
	put("usps/opentsne", .96, .96, .98004)
	put("faces/unfold", .20, .25, .99)
	put("faces/umap", .26, .24, .98)
	put("faces/pacmap", .33, .27, .98)
	put("faces/opentsne", .19, .25, .98)
	return b, sets
}

// forget removes a method's results for a set.
func forget(b *bench, set, key string) {
	for seed := 1; seed <= seedCount; seed++ {
		delete(b.results, mapName(set, key, seed))
	}
}

// Smaller is better for errors. Figures that look equal on the page share the rank. The comparison
// ends if a method has no figure.
func TestFirsts(t *testing.T) {
	b, sets := measured(t)
	for _, c := range []struct {
		set    int
		figure int
		want   []string
	}{
		{0, 0, []string{"unfold"}}, {1, 0, []string{"opentsne"}}, {1, 1, []string{"umap"}},
		{2, 0, []string{"opentsne"}}, {2, 1, []string{"umap"}}, {2, 2, []string{"unfold"}},
	} {
		f := sets[c.set].local()[c.figure]
		if got := b.firsts(sets[c.set].name, contest(byDefault), f); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", sets[c.set].name, f.title, got, c.want)
		}
	}
	f := figure{trust, "", false}
	b.results["usps/umap"].Figures[trust] = .98004
	if got := b.firsts("usps", contest(byDefault), f); !slices.Equal(got, []string{"unfold", "umap", "opentsne"}) {
		t.Errorf(".98, .98004 and .98004 are first: %v", got)
	}
	forget(b, "usps", "pacmap")
	if got := b.firsts("usps", contest(byDefault), f); got != nil {
		t.Errorf("first of some methods: %v", got)
	}
}

// Targets compare the figures as printed.
func TestTargets(t *testing.T) {
	const plain = "%.3f"
	for _, c := range []struct {
		target target
		want   string
	}{
		{target{value: .972, least: .972, above: true, format: plain}, harness.Met}, {target{value: .971, least: .972, above: true, format: plain}, harness.Missed},
		{target{value: .9717, least: .972, above: true, format: plain}, harness.Met}, {target{value: .9714, least: .972, above: true, format: plain}, harness.Missed},
		{target{value: .972, least: .972, above: true, strict: true, format: plain}, harness.Missed}, {target{value: .9722, least: .972, above: true, strict: true, format: plain}, harness.Missed},
		{target{value: 2.8, least: 2.8, format: plain}, harness.Met}, {target{value: 2.804, least: 2.8, format: "%.2f"}, harness.Met},
		{target{value: 2.9, least: 2.8, format: plain}, harness.Missed}, {target{value: 1, least: 2, format: "%g"}, harness.Met},
		{target{value: 2, least: 2, strict: true, format: "%g"}, harness.Missed}, {target{value: 1, least: 2, format: "%g", unknown: true}, harness.NotMeasured},
		{target{value: 1, least: math.NaN(), format: "%g", unknown: true}, harness.NotMeasured},
	} {
		if got := c.target.verdict(); got != c.want {
			t.Errorf("%+v: %s", c.target, got)
		}
	}
	b, sets := measured(t)
	b.results[splitName(2, methods()[0])] = &result{Figures: map[string]float64{test9: .0271}}
	b.results[dims3Name] = &result{Figures: map[string]float64{nn1: .9735, nn9: .97, trust: .9943}}
	b.results[costName] = &result{Figures: map[string]float64{memory: .314}}
	b.results[planeName] = &result{Figures: map[string]float64{differ: 0}}
	for seed := 1; seed <= seedCount; seed++ {
		b.results[seedName(seed)] = &result{Figures: map[string]float64{nn1: .974, nn9: .978 + .0008*float64(seed), trust: .9943 + .00052*float64(seed)}}
	}
	got := map[string]string{}
	targets := b.targets(sets)
	for _, x := range targets {
		got[x.what] = x.limit().String() + " " + x.measured() + " " + x.verdict()
	}
	const first = "R_NX, first, of "
	for what, want := range map[string]string{
		first + "3 sets": ">= 12 3 **missed**",
		"R_NX, ahead of the best peer on every set of text":               ">= 0.0200  not measured",
		"R_NX, the most that openTSNE is ahead (MNIST)":                   "<= 0.0050 0.0000 met",
		"continuity, first or within 0.001 of the first, of 3 sets":       ">= 9 3 **missed**",
		"triplets, first or within 0.01 of the first, of 3 sets":          ">= 9 3 **missed**",
		"Shepard, first or within 0.02 of the first, of 3 sets":           ">= 9 3 **missed**",
		"recall of 10, mean of 3 sets, against openTSNE's":                ">= 0.4000 0.4000 met",
		"Shepard, mean of 3 sets, against " + titleOf(dreamsMDS) + "'s":   ">= 0.5000 0.5000 met",
		"trustworthiness, the most that unfold --pca 50 is ahead (MNIST)": "<= 0.0020 0.0010 met",
		"recall 10, the most that unfold --pca 50 is ahead (MNIST)":       "<= 0.0000 0.0000 met",
		"1-NN, the most that unfold --pca 50 is ahead (MNIST)":            "<= 0.0030 0.0005 met",
		"Swiss roll, distances on the sheet":                              ">= 0.9500  not measured",
		"Swiss roll, distances on the sheet, `--frame geodesic`":          ">= 0.9900  not measured",
		"NSL-KDD, R_NX":                               ">= 0.5500  not measured",
		"NSL-KDD, Shepard":                            ">= 0.6000  not measured",
		"NSL-KDD, continuity":                         ">= 0.9970  not measured",
		"NSL-KDD, 1-NN":                               ">= 0.9945  not measured",
		"Mammoth, R_NX":                               ">= 0.7300  not measured",
		"Mammoth, triplets":                           ">= 0.8700  not measured",
		"Mammoth, trustworthiness":                    ">= 0.9997  not measured",
		"MNIST, `--thorough`, 1-NN, above openTSNE's": "> 0.9716 0.9746 met",
		"MNIST, `--thorough`, 9-NN, above openTSNE's": "> 0.9768 0.9781 met",
		"MNIST, `--thorough`, trustworthiness, above openTSNE's":                                        "> 0.9958 0.9958 **missed**",
		"placed test digits, d = 2, 9-NN error":                                                         "<= 2.60% 2.71% **missed**",
		"test digits on the joint map, d = 10, 9-NN error":                                              "<= 2.20%  not measured",
		"placed test digits, d = 10, 9-NN error":                                                        "<= 2.30%  not measured",
		"EM of the joint map, d = 10":                                                                   "<= 6.0 s  not measured",
		"MNIST, d = 3, 1-NN, against d = 2 less .001":                                                   ">= 0.9730 0.9735 met",
		"MNIST, d = 3, 9-NN, against d = 2 less .001":                                                   ">= 0.9770 0.9700 **missed**",
		"MNIST, d = 3, trustworthiness, against d = 2 less .001":                                        ">= 0.9933 0.9943 met",
		"MNIST, d = 2, seeds 1 and 2, bytes in which the maps differ (none: all figures have spread 0)": "<= 0 0 met",
		"MNIST, d = 10, seeds 1 to 3, spread of 1-NN":                                                   "<= 0.0010 0.0000 met",
		"MNIST, d = 10, seeds 1 to 3, spread of 9-NN":                                                   "<= 0.0010 0.0016 **missed**",
		"MNIST, d = 10, seeds 1 to 3, spread of trustworthiness":                                        "<= 0.0010 0.0010 met",
		"MNIST, EM": "<= 8.0 s 2.0 s met",
		"MNIST, the whole process' time relative to the earlier build's": "<= 1.15  not measured",
		"MNIST, memory of a fit, also of 784 values with a report":       "<= 0.35 GB 0.31 GB met",
	} {
		if got[what] != want {
			t.Errorf("%s: %q, want %q", what, got[what], want)
		}
		delete(got, what)
	}
	if len(got) > 0 {
		t.Errorf("other targets: %v", got)
	}
	// With missing results the targets are the same, and reported as not measured unless the
	// available results decide them.
	b.missing = []dataset{{name: "gone"}}
	forget(b, mnistName, openTSNE)
	delete(b.results, seedName(3))
	forget(b, mnistName, byDefault)
	less := b.targets(sets)
	if n := count(less); len(less) != len(targets) || n[harness.NotMeasured] != 30 {
		t.Errorf("%d of %d targets: %v", len(less), len(targets), n)
	}
	for _, x := range less {
		if strings.HasPrefix(x.what, first) && (x.what != first+"4 sets (2 of the 2 that are measured)" || x.verdict() != harness.Missed) {
			t.Errorf("with a set that is missing: %+v", x)
		}
		if text := x.limit().String() + x.measured(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %s", x.what, text)
		}
	}
}

// even returns a row with the structure figures that all methods of measured share, and the given
// trustworthiness.
func even(trustworthiness string) string {
	return " **0.6000** | **0.4000** | **0.4000** | **0.3000** | " + trustworthiness + " | **0.9000** | **0.5000** | **0.6000** |"
}

// The page contains everything that was measured and nothing else.
func TestPage(t *testing.T) {
	b, sets := measured(t)
	b.missing = []dataset{{name: "gone", title: "Gone set"}}
	b.results["usps/umap"].Python, b.results["usps/umap"].Version = "3.11", "2"
	b.results["usps/umap"].Input = "50 components"
	text := string(b.page(sets, b.targets(sets), map[string]string{"usps": "| pictures |"}))
	for _, want := range []string{
		"All figures are of one run.", "DREAMS (Kury,", "All of these data sets were looked at", "| DREAMS-MDS | 1 |", ", Python 3.11; 2 threads", "missing: Gone set.", "| UMAP | 1, 2 |",
		"3 of 37 targets are met, 5 are missed, **29 are not measured**.", "| MNIST, EM | <= 8.0 s | 2.0 s | met |", "| MNIST, d = 3, 1-NN, against d = 2 less .001 | ",
		"| unfold |" + even("0.9943") + " 0.9740 | 0.9780 |", "| openTSNE |" + even("**0.9958**") + " 0.9716 | 0.9768 |",
		"| unfold --thorough |" + even("**0.9958**") + " **0.9746** | **0.9781** |",
		"| unfold | 3 | 3 | 3 | 3 | 1 | 3 | 3 | 3 | 1 | 1 |", "| of | 3 | 3 | 3 | 3 | 3 | 3 | 3 | 3 | 3 | 3 |", "- **1-NN**: USPS (openTSNE +0.0100), Isomap faces (openTSNE -0.0100).",
		"70,000 rows of 784 values, 10 classes", "| UMAP, 50 components |", "| pictures |", "1-NN error",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, unwanted := range []string{"GloVe", "NaN", "%!", "Other dimensions", "New digits"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the page has %q", unwanted)
		}
	}
	if first, targets := strings.Index(text, "## Who is first"), strings.Index(text, "## Targets"); first < 0 || first > targets {
		t.Error("the page does not open with the comparison")
	}
	for _, no := range []string{harness.Busy, "Of fewer"} {
		if strings.Contains(text, "**"+no) {
			t.Errorf("a page of all seeds of a quiet machine says %q", no)
		}
	}
	b.results["usps/umap"].Run = "b"
	if text := string(b.page(sets, nil, nil)); !strings.Contains(text, "of 2 runs") {
		t.Error("the page does not say that it is of two runs")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestVectorsSurviveNPY(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	x := vec.Of(3, 2, []float32{1, -2.5, 3e-20, 4, float32(math.Pi), 6})
	if err := writeNPY(path, x); err != nil {
		t.Fatal(err)
	}
	got, err := readVectors(t.Context(), path)
	if err != nil || got.Rows != 3 || got.Cols != 2 || !slices.Equal(got.Data, x.Data) {
		t.Fatalf("%v, %v", got, err)
	}
	// A map is written as a table with the same numbers.
	table := filepath.Join(t.TempDir(), "map.csv")
	if err := writeMap(t.Context(), path, table, labelColumn, []string{"a", "", "c,d"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(table)
	if want := "label,embedding_0,embedding_1\na,1,-2.5\n,3e-20,4\n\"c,d\",3.1415927,6\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if err := writeMap(t.Context(), path, table, labelColumn, []string{"a"}); err == nil {
		t.Error("one label does for three points")
	}
	labels, err := readLabels(table)
	if err != nil || !slices.Equal(labels, []string{"a", "", "c,d"}) {
		t.Errorf("labels %q, %v", labels, err)
	}
}

// Connections: a word is one column; numbers are log(1+v), with mean 0 and deviation 1.
func TestConnections(t *testing.T) {
	dir := t.TempDir()
	record := func(bytes, protocol, label string) string {
		fields := slices.Repeat([]string{"0"}, 43)
		fields[0], fields[1], fields[2], fields[3], fields[41] = bytes, protocol, "http", "SF", label
		return strings.Join(fields, ",") + "\n"
	}
	gz(t, filepath.Join(dir, "nslkdd", "KDDTrain+.txt.gz"), record("0", "tcp", "normal")+record("3", "udp", "smurf")+record("0", "tcp", "normal"))
	d, err := loadConnections(t.Context(), filepath.Join(dir, "nslkdd"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.label, []string{"normal", "smurf", "normal"}) || d.x.Rows != 3 || d.x.Cols != 38+2+1+1 {
		t.Fatalf("labels %v, %d x %d", d.label, d.x.Rows, d.x.Cols)
	}
	root := math.Sqrt2
	for i, want := range [][]float64{{-1 / root, 1, 0, 1, 1, 0}, {root, 0, 1, 1, 1, 0}} {
		for c, v := range want {
			if got := float64(d.x.Row(i)[c]); math.Abs(got-v) > 1e-6 {
				t.Errorf("row %d, column %d is %g, want %g", i, c, got, v)
			}
		}
	}
}

// Every word of the list has one category, and every category has words.
func TestCategories(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(categories)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen, size := map[string]bool{}, map[string]int{}
	for _, r := range rows[1:] {
		if seen[r[0]] || r[0] != strings.ToLower(r[0]) || r[0] == "" || r[1] == "" {
			t.Errorf("%q: it is there twice, or not in lower case, or has no category", r)
		}
		seen[r[0]] = true
		size[r[1]]++
	}
	for c, n := range size {
		if n < 5 {
			t.Errorf("category %s has only %d words", c, n)
		}
	}
	d := &table{x: vec.Of(2, 2, []float32{3, 4, 0, 2})}
	if err := d.asWords([]string{"January", "unfold"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.label, []string{"month", ""}) || !slices.Equal(d.x.Data, []float32{3, 4, 0, 2}) {
		t.Errorf("labels %q, vectors %v", d.label, d.x.Data)
	}
}

func TestBadFlags(t *testing.T) {
	t.Setenv("UNFOLD_DATA", "")
	for _, args := range [][]string{{}, {"-data", "x", "-only", "nothing"}, {"-data", "x", "-methods", "mine"}, {"-data", "x", "-try", "noflags"}, {"-unknown"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, io.Discard, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%v: exit %d, %q", args, code, &errs)
		}
	}
}

// Peers choose between the data as given and their principal components, if these are fewer. For
// rows compared by angle the components are those of the directions.
func TestInputs(t *testing.T) {
	wide := &prepared{dataset: dataset{metric: cosine}, Dim: 384, raw: "raw", reduced: "reduced"}
	few := &prepared{Dim: 12, raw: "raw", reduced: "reduced"}
	given, components, rows := input{"raw", cosine, ""}, input{"reduced", "", "50 components"}, input{"raw", "", ""}
	for _, c := range []struct {
		key       string
		wide, few []input
	}{
		{byDefault, []input{given}, []input{rows}}, {byFifty, []input{given}, []input{rows}}, {umap, []input{given, components}, []input{rows}},
		{openTSNE, []input{given, components}, []input{rows}}, {dreamsPCA, []input{components}, []input{{"reduced", "", ""}}},
	} {
		m := methods()[slices.IndexFunc(methods(), func(m method) bool { return m.key == c.key })]
		if got := m.inputs(wide); !slices.Equal(got, c.wide) {
			t.Errorf("%s: %v of many columns", c.key, got)
		}
		if got := m.inputs(few); !slices.Equal(got, c.few) {
			t.Errorf("%s: %v of few columns", c.key, got)
		}
	}
	x := vec.Of(2, 2, []float32{3, 4, 0, 2})
	got, err := reduce(t.Context(), x, cosine)
	if err != nil || !slices.Equal(got.Data, []float32{.6, .8, 0, 1}) || x.Data[0] != 3 {
		t.Errorf("%v, %v", got.Data, err)
	}
	if got, err = reduce(t.Context(), vec.New[float32](80, 60), ""); err != nil || got.Cols != reducedDims {
		t.Errorf("%d components, %v", got.Cols, err)
	}
}

// The lead on text is that of the worst set.
func TestLeadOnText(t *testing.T) {
	b, _ := measured(t)
	var sets []*prepared
	for k, name := range []string{"glove", "glosses"} {
		d := datasets("")
		sets = append(sets, &prepared{dataset: d[slices.IndexFunc(d, func(d dataset) bool { return d.name == name })]})
		for i, m := range contest(byDefault) {
			b.results[mapName(name, m.key, 1)] = &result{Figures: map[string]float64{rnx: .4 - .03*float64(i) - .01*float64(k*min(i, 1))}}
		}
	}
	got := b.leadOn(sets, figure{rnx, "R_NX", false}, .02)
	if math.Abs(got.value-.03) > 1e-9 || got.unknown || !strings.Contains(got.what, "GloVe") {
		t.Errorf("%+v", got)
	}
	delete(b.results, mapName("glosses", umap, 1))
	if got := b.leadOn(sets, figure{rnx, "R_NX", false}, .02); !got.unknown {
		t.Errorf("without a peer: %+v", got)
	}
}

// Of sentences the vectors are of half precision, and the labels in a table.
func TestGlosses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "glosses")
	gz(t, filepath.Join(dir, "glosses.tsv.gz"), "category\ttext\nnoun.act\ta: b c\nverb\td\n")
	head := "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }"
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	npy := append([]byte("\x93NUMPY\x01\x00\x76\x00"+head), 0, 0x3c, 0, 0x40, 0, 0, 0, 0xbc, 0, 0, 0, 0x38)
	if err := os.WriteFile(filepath.Join(dir, "glosses_10000x384_f16.npy"), npy, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := loadGlosses(t.Context(), dir)
	if err != nil || d.check() != nil || !slices.Equal(d.label, []string{"noun.act", "verb"}) || !slices.Equal(d.x.Data, []float32{1, 2, 0, -1, 0, .5}) {
		t.Errorf("%+v, %v", d, err)
	}
}
