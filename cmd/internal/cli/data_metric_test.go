package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// A model keeps its metric. Rows that the metric does not distinguish, of four times the length,
// get the same places in embed, in a pipe and in the score. inspect names the metric.
func TestModelKeepsItsMetric(t *testing.T) {
	t.Chdir(workspace(t))
	rows := func(factor float64) string {
		var b strings.Builder
		b.WriteString("id,a,b,c\n")
		for i := range 90 {
			at := float64(i%3) * 2 * math.Pi / 3
			at += math.Sin(float64(i*i)) / 4
			size := 1 + float64(i%7)
			exact := func(v float64) float64 { return factor * math.Round(1024*v) / 1024 }
			fmt.Fprintf(&b, "r%d,%v,%v,%v\n", i, exact(size*math.Cos(at)), exact(size*math.Sin(at)), exact(size/2))
		}
		return b.String()
	}
	write(t, "one.csv", rows(1))
	write(t, "four.csv", rows(4))
	must(t, "-q", "fit", "one.csv", "--columns", "a,b,c", "--id", "id", "--metric", "cosine", "-o", "m.unfold", "--map", "map.parquet", "--steps", "20")
	must(t, "-q", "embed", "one.csv", "-m", "m.unfold", "-o", "one.parquet")
	must(t, "-q", "embed", "four.csv", "-m", "m.unfold", "-o", "four.parquet")
	one, four := readAMap(t, "one.parquet").Embedding, readAMap(t, "four.parquet").Embedding
	for i := range one.Rows {
		if vec.SquaredDistance(one.Row(i), four.Row(i)) != 0 {
			t.Fatalf("row %d lies at %v, and four times as long at %v", i, one.Row(i), four.Row(i))
		}
	}
	if out := must(t, "inspect", "m.unfold"); !strings.Contains(out, "metric") || !strings.Contains(out, "cosine") {
		t.Errorf("inspect says\n%s", out)
	}
	var model struct{ Metric string }
	if err := json.Unmarshal([]byte(must(t, "inspect", "--json", "m.unfold")), &model); err != nil || model.Metric != "cosine" {
		t.Errorf("inspect --json says %+v, error %v", model, err)
	}
	structure := func(data, metric string) string {
		return must(t, "-q", "score", "map.parquet", "--data", data, "--columns", "a,b,c", "--metric", metric)
	}
	if structure("one.csv", "cosine") != structure("four.csv", "cosine") || structure("one.csv", "euclidean") == structure("one.csv", "cosine") {
		t.Error("the score does not follow the metric")
	}
	write(t, "bad.csv", "id,a,b,c\nz,0,0,0\n")
	must(t, "-q", "embed", "bad.csv", "-m", "m.unfold", "-o", "bad.parquet")
	if code, _, stderr := run(t, "fit", "one.csv", "--columns", "a,b,c", "--metric", "haversine", "-o", "x.unfold"); code != exitBadInput || !strings.Contains(stderr, "takes two plain columns") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Bits are not projected. A model of bits places rows by the number of differing columns: a row of
// the map keeps its place, and an unknown category is far from all. Other values are rejected with
// the column's name, and explanations name the unusual columns.
func TestModelOfBits(t *testing.T) {
	atTables(t)
	must(t, "-q", "fit", "alarms.csv", "--columns", "a*,zone", "--id", "device", "--metric", "hamming", "-o", "m.unfold", "--map", "map.parquet", "--steps", "20")
	must(t, "-q", "embed", "alarms.csv", "-m", "m.unfold", "-o", "again.parquet")
	if out := must(t, "inspect", "m.unfold"); !strings.Contains(out, "hamming") || strings.Contains(out, "components") {
		t.Errorf("inspect says\n%s", out)
	}
	text := contentsOf(t, "alarms.csv")
	lines := strings.Split(text, "\n")
	header, usual := lines[0], lines[2]
	write(t, "strange.csv", header+"\n"+strings.Replace(usual, ",south", ",east", 1)+"\n"+strings.NewReplacer(",0", ",1", ",1", ",0").Replace(usual)+"\n")
	must(t, "-q", "embed", "strange.csv", "-m", "m.unfold", "-o", "strange.parquet")
	again, strange := readAMap(t, "again.parquet"), readAMap(t, "strange.parquet")
	if strange.NoveltyGlobal[0] <= again.NoveltyGlobal[1] || strange.NoveltyGlobal[1] != 1 {
		t.Errorf("a row has novelty %v, in another zone %v, with every alarm the other way %v", again.NoveltyGlobal[1], strange.NoveltyGlobal[0], strange.NoveltyGlobal[1])
	}
	if out := must(t, "explain", "m.unfold", "strange.csv", "--columns", "40"); !strings.Contains(out, "east") {
		t.Errorf("explain says\n%s", out)
	}
	// update adds and removes rows exactly.
	write(t, "gone.csv", "device\nd0\nd1\n")
	must(t, "-q", "update", "m.unfold", "strange.csv", "--forget", "gone.csv", "-o", "next.unfold")
	if out := must(t, "inspect", "next.unfold"); !strings.Contains(out, "hamming") {
		t.Errorf("inspect says of the map that was carried on\n%s", out)
	}
	write(t, "half.csv", "a0,a1\n0,1\n1,1\n0.5,1\n")
	if code, _, stderr := run(t, "fit", "half.csv", "--columns", "a*", "--metric", "hamming", "-o", "x.unfold"); code != exitBadInput || !strings.Contains(stderr, "half.csv: row 3 (line 4), column \"a0\": the value is 0.5, and the metric hamming takes 0 and 1") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"a mean", "leave out the means of missing values", []string{"--missing", "mean"}},
		{"a scale", "leave out standardize", []string{"--standardize"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"fit", "alarms.csv", "--columns", "a*", "--metric", "hamming", "-o", "x.unfold"}, c.args...)...)
			if code != exitUsage || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s", code, stderr)
			}
		})
	}
}

// Vectors that look like text embeddings cause a note, which the advised metric silences.
func TestEmbeddingsAreNoted(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(1, 1))
	var rows strings.Builder
	for range 120 {
		values := make([]string, 240)
		for j := range values {
			v := 0.5*math.Cos(float64(j)) + r.NormFloat64()*math.Sqrt(1/(1+float64(j)/40))
			values[j] = strconv.FormatFloat(v, 'g', 5, 32)
		}
		fmt.Fprintf(&rows, "{\"vector\":[%s]}\n", strings.Join(values, ","))
	}
	write(t, "embeddings.ndjson", rows.String())
	const note = "as embeddings of texts do: their direction may be all that counts: --metric cosine"
	for _, c := range []struct {
		name string
		args []string
		want bool
	}{
		{"euclidean", nil, true},
		{"cosine", []string{"--metric", "cosine"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"fit", "embeddings.ndjson", "-o", "m.unfold", "--steps", "5", "--report", "report.json"}, c.args...)...)
			if code != 0 || strings.Contains(stderr, note) != c.want {
				t.Errorf("exit %d: %s", code, stderr)
			}
			report, err := os.ReadFile("report.json")
			if err != nil || strings.Contains(string(report), `"norm_deviation"`) != c.want || !strings.Contains(string(report), fmt.Sprintf(`"metric": %q`, c.name)) {
				t.Errorf("error %v, the report says %s", err, report)
			}
		})
	}
}

// A model learnt with means imputes them when it places, unless that is turned off. A model learnt
// without means cannot. Dropped rows have no place.
func TestMissingWhenPlaced(t *testing.T) {
	atTables(t)
	must(t, "-q", "fit", "holes.csv", "--columns", "a,b,c", "--missing", "mean", "-o", "mean.unfold", "--steps", "5")
	must(t, "-q", "fit", "holes.csv", "--columns", "a,b,c", "--missing", "drop", "-o", "drop.unfold", "--map", "map.csv", "--steps", "5")
	for _, c := range []struct {
		name, model string
		flags       []string
		exit, rows  int
		want        string
	}{
		{"means", "mean.unfold", nil, 0, 96, ""},
		{"means that are asked for", "mean.unfold", []string{"--missing", "mean"}, 0, 96, ""},
		{"means that are refused", "mean.unfold", []string{"--missing", "error"}, exitBadInput, 0, `row 3 (line 4), column "a": the value is missing`},
		{"no means", "drop.unfold", []string{"--missing", "mean"}, exitUsage, 0, "knows no means"},
		{"nothing said", "drop.unfold", nil, exitBadInput, 0, "the value is missing"},
		{"left out", "drop.unfold", []string{"--missing", "drop"}, 0, 74, "22 rows left out, since a value is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"embed", "holes.csv", "-m", c.model, "-o", "out.csv"}, c.flags...)...)
			if code != c.exit || !strings.Contains(stderr, c.want) {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if c.exit != 0 {
				return
			}
			m, err := ingest.ReadMap(t.Context(), "out.csv", ingest.Options{})
			if err != nil || m.Embedding.Rows != c.rows {
				t.Errorf("%d rows, error %v, expected %d", m.Embedding.Rows, err, c.rows)
			}
		})
	}
	m, err := ingest.ReadMap(t.Context(), "map.csv", ingest.Options{})
	if err != nil || m.Embedding.Rows != 74 {
		t.Errorf("the map has %d rows, error %v", m.Embedding.Rows, err)
	}
	if code, _, stderr := run(t, "serve", "mean.unfold", "--missing", "drop"); code != exitUsage || !strings.Contains(stderr, "every row is answered") {
		t.Errorf("serve: exit %d: %s", code, stderr)
	}
}

// Explanations of angles and of positions on the earth give the actual and the usual value.
func TestReasonsOfCircles(t *testing.T) {
	atTables(t)
	must(t, "-q", "fit", "cities.csv", "--columns", "lat,lon", "--metric", "haversine", "-o", "m.unfold", "--steps", "5")
	write(t, "far.csv", "city,lat,lon\nfar,-33.9,151.2\n")
	if out := must(t, "explain", "m.unfold", "far.csv", "--columns", "1"); !strings.Contains(out, "-33.9,151.2") || !strings.Contains(out, "lat,lon") {
		t.Errorf("explain says\n%s", out)
	}
	must(t, "-q", "fit", "log.parquet", "--columns", "at:cyclic=24h,took", "-o", "m.unfold", "--steps", "5")
	if out := must(t, "explain", "m.unfold", "log.parquet", "--columns", "2", "--above", "0", "--limit", "1"); !strings.Contains(out, "at") {
		t.Errorf("explain says\n%s", out)
	}
}

// Metrics with a distance of their own work end to end: map, placing, explanations, scores,
// clusters, added and removed rows. Functions that need Euclidean distances return an error that
// names the metric.
func TestModelsOfDistances(t *testing.T) {
	for _, c := range []struct {
		metric, file, columns, id string
	}{
		{"jaccard", "alarms.csv", "a*", "device"},
		{"manhattan", "cities.csv", "lat,lon", "city"},
		{"chebyshev", "cities.csv", "lat,lon", "city"},
		{"canberra", "cities.csv", "lat,lon", "city"},
		{"braycurtis", "alarms.csv", "a*", "device"},
		{"dice", "alarms.csv", "a*", "device"},
	} {
		t.Run(c.metric, func(t *testing.T) {
			atTables(t)
			rows := []string{"--columns", c.columns, "--metric", c.metric}
			with := func(args ...string) []string { return append(args, rows...) }
			must(t, with("-q", "fit", c.file, "--id", c.id, "-o", "m.unfold", "--map", "map.parquet", "--report", "report.json", "--clusters", "--steps", "20")...)
			must(t, "-q", "embed", c.file, "-m", "m.unfold", "-o", "again.parquet")
			learnt, again := readAMap(t, "map.parquet"), readAMap(t, "again.parquet")
			if learnt.Embedding.Rows != again.Embedding.Rows || again.NoveltyGlobal == nil {
				t.Fatalf("%d rows, and %d placed", learnt.Embedding.Rows, again.Embedding.Rows)
			}
			for i, v := range learnt.NoveltyGlobal {
				if math.Abs(float64(v-again.NoveltyGlobal[i])) > 1e-6 {
					t.Fatalf("row %d has novelty %v, placed again %v", i, v, again.NoveltyGlobal[i])
				}
			}
			if out := must(t, "inspect", "m.unfold"); !strings.Contains(out, c.metric) || !strings.Contains(out, "file format 3") {
				t.Errorf("inspect says\n%s", out)
			}
			if out := must(t, "explain", "m.unfold", c.file, "--columns", "2", "--above", "0", "--limit", "1"); !strings.Contains(out, "%") {
				t.Errorf("explain says\n%s", out)
			}
			euclidean := must(t, "-q", "score", "map.parquet", "--data", c.file, "--columns", c.columns)
			own := must(t, with("-q", "score", "map.parquet", "--data", c.file)...)
			if model := must(t, "-q", "score", "map.parquet", "--data", c.file, "--model", "m.unfold"); own == euclidean || own != model {
				t.Errorf("the score by the metric is\n%s\nby the model\n%s\nby Euclidean distances\n%s", own, model, euclidean)
			}
			if out := must(t, with("-q", "clusters", c.file, "--min-size", "8", "--new", c.file, "-o", "clusters.csv")...); !strings.Contains(out, "clusters of at least 8") {
				t.Errorf("clusters says\n%s", out)
			}
			text := contentsOf(t, c.file)
			lines := strings.Split(text, "\n")
			write(t, "few.csv", strings.Join(lines[:4], "\n")+"\n")
			write(t, "gone.csv", c.id+"\n"+strings.Split(lines[2], ",")[0]+"\n")
			must(t, "-q", "update", "m.unfold", "few.csv", "--forget", "gone.csv", "-o", "next.unfold")
			if out := must(t, "inspect", "next.unfold"); !strings.Contains(out, c.metric) || !strings.Contains(out, "file format 3") {
				t.Errorf("inspect says of the map that was carried on\n%s", out)
			}
			must(t, with("-q", "fit", c.file, "--dry-run")...)
			for name, refused := range map[string]struct {
				want string
				args []string
			}{
				"another kind":         {"kind mds goes with Euclidean distances, not with the metric " + c.metric, []string{"--kind", "mds"}},
				"Gaussian tails":       {"--tails: gaussian tails go with Euclidean distances", []string{"--tails", "gaussian"}},
				"principal components": {"--pca: principal components are for Euclidean distances", []string{"--pca", "2"}},
				"links":                {"--search: hnsw is for Euclidean distances", []string{"--search", "hnsw"}},
				"a frame":              {"--frame: mds is made of Euclidean distances", []string{"--frame", "mds"}},
			} {
				code, _, stderr := run(t, with(append([]string{"fit", c.file, "-o", "x.unfold"}, refused.args...)...)...)
				if code != exitUsage || !strings.Contains(stderr, refused.want) {
					t.Errorf("%s: exit %d: %s", name, code, stderr)
				}
			}
			if d, err := distance.Parse(c.metric); err != nil {
				t.Error(err)
			} else if d.Bits() {
				for name, args := range map[string][]string{
					"a fit with a recall": with("fit", c.file, "-o", "x.unfold", "--recall", "0.9"),
					"embed with a recall": {"embed", c.file, "-m", "m.unfold", "-o", "x.parquet", "--recall", "0.9"},
					"a fit by descent":    with("fit", c.file, "-o", "x.unfold", "--search", "descent"),
				} {
					if code, _, stderr := run(t, args...); code == 0 || !strings.Contains(stderr, "searched exactly") {
						t.Errorf("%s: exit %d: %s", name, code, stderr)
					}
				}
			} else {
				must(t, with("-q", "fit", c.file, "--search", "descent", "--steps", "5", "-o", "x.unfold")...)
			}
		})
	}
	atTables(t)
	must(t, "-q", "fit", "alarms.csv", "--columns", "a*,zone", "--metric", "jaccard", "-o", "m.unfold", "--steps", "5")
	if code, _, stderr := run(t, "fit", "cities.csv", "--columns", "lat,lon", "--metric", "jaccard", "-o", "x.unfold"); code != exitBadInput || !strings.Contains(stderr, "and the metric jaccard takes 0 and 1") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := run(t, "fit", "words.npz", "--metric", "manhattan", "-o", "x.unfold"); code != exitBadInput || !strings.Contains(stderr, "compared by the metric manhattan") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
