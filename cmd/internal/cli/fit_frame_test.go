package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unfold/cmd/internal/config"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// --frame accepts the values of the setting.
func TestFrameTakesTheSettingsWords(t *testing.T) {
	key, there := config.Find(frameKey)
	if !there {
		t.Fatalf("there is no setting %s", frameKey)
	}
	help := must(t, "fit", "--help")
	if words := strings.Join(key.Choices, "|"); !strings.Contains(help, "--frame="+words+"|FILE|MODEL") {
		t.Errorf("the help of fit does not list %s", words)
	}
	settings := config.Defaults()
	for _, word := range key.Choices {
		flag := newFrameFlag()
		reflect.ValueOf(flag.Frame[0]).Elem().Field(0).Set(reflect.ValueOf(&word))
		if file, err := flag.apply(settings); err != nil || file != "" || key.Text(settings) != word {
			t.Errorf("%s: file %q, the setting is %s, %v", word, file, key.Text(settings), err)
		}
	}
}

// moved returns the median distance between the places of rows on two maps, relative to the largest
// extent of the first.
func moved(t *testing.T, a, b vec.Matrix[float32]) float64 {
	t.Helper()
	if a.Rows != b.Rows || a.Rows == 0 {
		t.Fatalf("%d and %d places", a.Rows, b.Rows)
	}
	distance := make([]float64, a.Rows)
	wide := 0.0
	for i := range distance {
		distance[i] = math.Sqrt(vec.SquaredDistance(a.Row(i), b.Row(i)))
		for j := range i {
			wide = math.Max(wide, math.Sqrt(vec.SquaredDistance(a.Row(i), a.Row(j))))
		}
	}
	return quantile.Median(distance) / wide
}

func readAMap(t *testing.T, path string) *emit.Map {
	t.Helper()
	m, err := ingest.ReadMap(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// days writes the rows of two days: yesterday has the first 90 of 120 rows, today has all of them
// in another order.
func days(t *testing.T) {
	t.Helper()
	sheet(t, "all.csv", 120, true)
	text, err := os.ReadFile("all.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	head, rows := lines[0], lines[1:121]
	write(t, "yesterday.csv", head+strings.Join(rows[:90], ""))
	slices.Reverse(rows)
	write(t, "today.csv", head+strings.Join(rows, ""))
}

// shared returns the places of the common rows of two maps, matched by id.
func shared(a, b *emit.Map) (inA, inB vec.Matrix[float32]) {
	inA.Cols, inB.Cols = a.Embedding.Cols, b.Embedding.Cols
	rows := map[string]int{}
	for i, id := range a.ID.Strings() {
		rows[id] = i
	}
	for j, id := range b.ID.Strings() {
		if i, there := rows[id]; there {
			inA.Data, inB.Data = append(inA.Data, a.Embedding.Row(i)...), append(inB.Data, b.Embedding.Row(j)...)
			inA.Rows++
			inB.Rows++
		}
	}
	return inA, inB
}

const fitDay = "-q fit %s.csv --columns *,-key --id key --keep kind --seed 3 -o %s.unfold --map %s.parquet"

// A map learnt in yesterday's frame is aligned with yesterday's map. The frame can be the model or
// the table, from a file or from standard input, which is read twice for a model.
func TestFitInYesterdaysFrame(t *testing.T) {
	t.Chdir(t.TempDir())
	days(t)
	must(t, words(fmt.Sprintf(fitDay, "yesterday", "yesterday", "yesterday"))...)
	yesterday := readAMap(t, "yesterday.parquet")
	// The same map, turned and reflected; an independent map would lie elsewhere.
	var turned strings.Builder
	turned.WriteString("key,north,east\n")
	for i, id := range yesterday.ID.Strings() {
		at := yesterday.Embedding.Row(i)
		at[0], at[1] = 1000+at[1], at[0]
		fmt.Fprintf(&turned, "%s,%v,%v\n", id, at[0], at[1])
	}
	write(t, "turned.csv", turned.String())
	for _, c := range []struct {
		frame, by string
		placed    int
	}{{"yesterday.unfold", "model", 120}, {"yesterday.parquet", "id", 90}, {"turned.csv", "id", 90}} {
		args := append(words(fmt.Sprintf(fitDay, "today", "today", "today")), "--report", "report.json", "--frame", c.frame)
		must(t, args...)
		before := readAMap(t, "yesterday.parquet")
		if c.frame == "turned.csv" {
			before = yesterday
		}
		today := readAMap(t, "today.parquet")
		then, now := shared(before, today)
		// Within a blob, many arrangements of 30 rows are equally good.
		if m := moved(t, then, now); now.Rows != 90 || m > 0.15 {
			t.Errorf("%s: %d rows of both days, moved by %.3f of the diameter", c.frame, now.Rows, m)
		}
		var report struct{ Frame frameReport }
		text, err := os.ReadFile("report.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &report); err != nil {
			t.Fatal(err)
		}
		if want := (frameReport{File: c.frame, By: c.by, Rows: 120, Placed: c.placed}); report.Frame != want {
			t.Errorf("the report says %+v, expected %+v", report.Frame, want)
		}
		args[2] = "-"
		if code, _, stderr := runInput(t, "today.csv", args...); code != 0 {
			t.Fatalf("from standard input: exit %d: %s", code, stderr)
		}
		if again := readAMap(t, "today.parquet"); !slices.Equal(again.Embedding.Data, today.Embedding.Data) {
			t.Errorf("%s: from standard input the map is another", c.frame)
		}
	}
	must(t, append(words(fmt.Sprintf(fitDay, "today", "free", "free")), "--frame", "pca")...)
	then, now := shared(yesterday, readAMap(t, "free.parquet"))
	if m := moved(t, then, now); m < 0.3 {
		t.Errorf("without the frame the map lies there, too: moved by %.3f", m)
	}
}
