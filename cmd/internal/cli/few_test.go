package cli

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"unfold/cmd/internal/serve"
	"unfold/ingest"
	"unfold/internal/testkit/tier"
	"unfold/models/fit"
	"unfold/models/lvm"
)

// fewVerbs has the command lines of every command that reads rows and uses a model. The folder has
// the model m.unfold, its map all.parquet and its rows all.csv. few.csv, few.jsonl and few.npy have
// none, one or two rows, few.parquet their places. FIT stands for the flags of the fit.
var fewVerbs = map[string][]string{
	"fit":   {"fit few.csv FIT --id id -o o.unfold --map o.csv", "fit few.csv FIT --dry-run"},
	"embed": {"embed few.csv -m m.unfold -o o.parquet", "embed few.jsonl few.jsonl -m m.unfold -o o.jsonl --explain 2"},
	"update": {
		"update m.unfold few.csv -o o.unfold --map o.csv --points p.csv", "update m.unfold --forget few.csv -o o.unfold --report o.json",
		"update m.unfold few.csv --forget few.csv -o o.unfold",
	},
	"explain": {"explain m.unfold few.csv --json --limit 0"},
	"decode":  {"decode few.parquet -m m.unfold -o o.csv"},
	"serve":   {"serve m.unfold --stdio --neighbors 2 --reasons 2"},
}

// fewOnce are command lines whose code path does not depend on the model.
var fewOnce = map[string][]string{
	"fit": {
		"fit few.csv FIT --missing drop -o o.unfold", "fit all.csv FIT --frame few.parquet -o o.unfold", "fit few.csv FIT --clusters -o o.unfold --map o.csv",
		"fit few.csv FIT --standardize --report o.json -o o.unfold", "fit few.npy -o o.unfold", "fit few.csv FIT --label kind --classify -o o.unfold",
	},
	"embed":  {"embed few.csv -m m.unfold -o few-map.csv", "embed few.jsonl -m m.unfold -o o.csv", "embed few.npy -m m.unfold -o o.npy"},
	"update": {"update m.unfold few.jsonl --forget few.jsonl -o o.unfold", "update m.unfold few.npy -o o.unfold"},
	"score": {
		"score few.parquet --label kind", "score few.parquet --data few.csv --columns COLUMNS", "score few.parquet --train all.parquet --label kind",
		"score all.parquet --train few.parquet --label kind", "score all.parquet --data few.csv --columns COLUMNS", "score few.npy", "score few-map.csv",
	},
	"plot": {
		"plot few.parquet -o o.png", "plot few.parquet -o o.svg --color novelty_global", "plot few.parquet -o o.pdf --facet kind",
		"plot --compare few.parquet all.parquet -o o.png", "plot few.parquet -o o.png --uncertainty --model m.unfold", "plot few.npy -o o.png", "plot few-map.csv -o o.png",
	},
	"clusters": {
		"clusters few.parquet -o o.csv", "clusters few.csv --columns COLUMNS --min-size 2 -o o.parquet", "clusters all.parquet --new few.parquet -o o.csv", "clusters few.npy -o o.csv",
	},
	"explain": {"explain m.unfold few.csv", "explain m.unfold few.jsonl --above 0.5"},
	"decode":  {"decode few.npy -m m.unfold -o o.npy"},
	"inspect": {"inspect few.csv", "inspect few.jsonl --json", "inspect few.parquet", "inspect few.npy"},
	"view":    {"view few.parquet --attached --listen 127.0.0.1:0", "view few.npy --attached --listen 127.0.0.1:0"},
	"export":  {"export few.parquet -o o.html", "export few.npy -o o.html", "export few-map.csv -o o.html"},
	"serve":   {"serve m.unfold --stdio"},
}

// noRows are the commands that read no rows, or only run the commands above.
var noRows = []string{"session", "run", "lint", "dlq", "demo", "version", "completion", "settings", completeVerb, "check-input"}

var fewColumns = []string{"a", "b", "c", "d", "e", "f"}

// fewModels returns the flags of a fit for every kind, and for every metric and the other tails of
// the updatable kind, with and without principal components.
func fewModels() (all [][]string) {
	kinds := fit.Kinds{}.Names()
	for _, kind := range kinds {
		metrics := ingest.Metrics()
		if kind != kinds[0] {
			metrics = metrics[:1]
		}
		for i, metric := range metrics {
			columns := fewColumns
			if metric == ingest.Haversine {
				columns = columns[:2]
			}
			for _, pca := range []string{"none", fmt.Sprint(len(columns) / 2)} {
				flags := []string{"--columns", strings.Join(columns, ","), "--kind", kind, "--metric", string(metric), "--pca", pca, "--steps", "2"}
				all = append(all, flags)
				if kind == kinds[0] && i == 0 {
					all = append(all, append(slices.Clip(flags), "--tails", lvm.Gaussian.String()))
				}
			}
		}
	}
	return all
}

// writeFew writes all.csv, and its first n rows in each format.
func writeFew(t *testing.T, n int) {
	t.Helper()
	header, lines, objects := "id,"+strings.Join(fewColumns, ",")+",kind\n", []string(nil), ""
	var numbers []byte
	for i := 1; i <= 40; i++ { // of 0 and 1, which every metric accepts
		values := make([]string, len(fewColumns))
		for k := range values {
			values[k] = fmt.Sprint(i >> k & 1)
			if i <= n {
				numbers = append(numbers, 0, 0, byte(i>>k&1*0x80), byte(i>>k&1*0x3f)) // float32
			}
		}
		lines = append(lines, fmt.Sprintf("r%d,%s,k%d\n", i, strings.Join(values, ","), i%2))
		if i <= n {
			objects += fmt.Sprintf(`{"id":"r%d"`, i)
			for k, v := range values {
				objects += fmt.Sprintf(`,"%s":%s`, fewColumns[k], v)
			}
			objects += fmt.Sprintf(`,"kind":"k%d"}`+"\n", i%2)
		}
	}
	write(t, "all.csv", header+strings.Join(lines, ""))
	write(t, "few.csv", header+strings.Join(lines[:n], ""))
	write(t, "few.jsonl", objects)
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", n, len(fewColumns))
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	write(t, "few.npy", "\x93NUMPY\x01\x00\x76\x00"+head+string(numbers))
}

// Every command accepts no row, one row and two rows with a model of every kind and metric, with
// and without principal components. It succeeds or returns an error message, but never panics.
func TestFewRows(t *testing.T) {
	tier.Full(t, "it runs every verb on few rows, with every kind and metric")
	for _, c := range commands {
		if fewVerbs[c.name] == nil && fewOnce[c.name] == nil && !slices.Contains(noRows, c.name) {
			t.Errorf("no case of few rows for unfold %s", c.name)
		}
	}
	t.Chdir(t.TempDir())
	fitted := 0
	for _, flags := range fewModels() {
		writeFew(t, 2)
		if _, err := os.Stat("m.unfold"); err == nil {
			if err := os.Remove("m.unfold"); err != nil {
				t.Fatal(err)
			}
		}
		about := strings.Join(flags[2:], " ")
		if code := fewRun(t, about, slices.Concat([]string{"-q", "fit", "all.csv", "--id", "id", "--keep", "kind", "-o", "m.unfold", "--map", "all.parquet"}, flags)...); code != 0 {
			continue // some metrics have no components and return an error
		}
		fitted++
		for n := range 3 {
			writeFew(t, n)
			must(t, "-q", "embed", "few.csv", "-m", "m.unfold", "-o", "few.parquet")
			cases := []map[string][]string{fewVerbs}
			if fitted == 1 {
				cases = append(cases, fewOnce)
			}
			for _, verbs := range cases {
				for _, name := range slices.Sorted(maps.Keys(verbs)) {
					for _, line := range verbs[name] {
						fewRun(t, fmt.Sprintf("%s, %d rows: %s", about, n, line), fewArgs(line, flags)...)
					}
				}
			}
		}
	}
	if fitted < len(fit.Kinds{}.Names())+len(ingest.Metrics())-1 {
		t.Errorf("only %d of %d models were learnt", fitted, len(fewModels()))
	}
}

// A map can shrink to two points. With fewer left, update returns an error and makes no map,
// because the file would keep the removed rows.
func TestForgetToTheLastRows(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFew(t, 0)
	rows := strings.SplitAfter(contentsOf(t, "all.csv"), "\n")
	rows = rows[:len(rows)-1]
	for _, pca := range []string{"none", "3"} {
		must(t, "-q", "fit", "all.csv", "--columns", strings.Join(fewColumns, ","), "--id", "id", "--pca", pca, "--steps", "2", "-o", "m.unfold")
		before := contentsOf(t, "m.unfold")
		for left := range 3 {
			write(t, "gone.csv", strings.Join(rows[:len(rows)-left], ""))
			code, _, stderr := run(t, "-q", "update", "m.unfold", "--forget", "gone.csv", "-o", "m.unfold", "--points", "points.csv")
			if left < 2 {
				if code != exitBadInput || !strings.Contains(stderr, fmt.Sprintf("m.unfold: %d point", left)) || contentsOf(t, "m.unfold") != before {
					t.Errorf("pca %s, %d rows left: exit %d, %s", pca, left, code, stderr)
				}
				continue
			}
			if lines := strings.Count(contentsOf(t, "points.csv"), "\n"); code != 0 || lines != 1+left {
				t.Errorf("pca %s, %d rows left: exit %d, %s, %d lines of points", pca, left, code, stderr, lines)
			}
			must(t, "-q", "embed", "all.csv", "-m", "m.unfold", "-o", "o.csv")
		}
	}
}

// fewArgs returns the words of a command line with the flags of a model.
func fewArgs(line string, flags []string) []string {
	args := []string{"-q"}
	for _, word := range strings.Fields(line) {
		switch word {
		case "FIT":
			args = append(args, flags...)
		case "COLUMNS":
			args = append(args, flags[1])
		default:
			args = append(args, word)
		}
	}
	return args
}

// fewRun runs a command that must not panic, and returns its exit code.
func fewRun(t *testing.T, about string, args ...string) (code int) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", about, p)
		}
	}()
	var in bytes.Buffer
	for _, request := range []string{`{"vectors": []}`, `[]`, `{"vectors": [[1,0,1,0,1,0]]}`, `[{"a":1,"b":0,"c":1,"d":0,"e":1,"f":0}]`} { // requests for serve
		if err := serve.WriteFrame(&in, []byte(request)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code = Run(ctx, System{Args: args, Stdin: &in, Stdout: &out, Stderr: &errs})
	for _, bad := range []string{"runtime error", "goroutine", "panic", "out of range"} {
		if strings.Contains(errs.String(), bad) || strings.Contains(out.String(), bad) {
			t.Errorf("%s: exit %d: %s%s", about, code, &out, &errs)
		}
	}
	if strings.Contains(errs.String(), "--help") || code != 0 && !strings.HasPrefix(errs.String(), "unfold: ") && !strings.Contains(errs.String(), "\nunfold: ") {
		t.Errorf("%s: exit %d: %s", about, code, &errs)
	}
	return code
}

// A map of few points is scored by as many neighbours as can be compared.
func TestFewPointsAreScored(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "five.csv", "a,b\n1,2\n2,1\n5,5\n6,7\n9,1\n")
	must(t, "-q", "fit", "five.csv", "-o", "m.unfold", "--map", "map.csv", "--steps", "5")
	if out := must(t, "-q", "score", "map.csv", "--data", "five.csv", "-m", "m.unfold"); !strings.Contains(out, "(2 neighbours, all points)") || strings.Contains(out, "NaN") {
		t.Errorf("the score is\n%s", out)
	}
	if code, _, refusal := run(t, "score", "map.csv", "--data", "five.csv", "-m", "m.unfold", "--rank", "3"); code != exitUsage || !strings.Contains(refusal, "--rank: 3 neighbours of 5 points; give at most 2") {
		t.Errorf("exit %d: %s", code, refusal)
	}
}
