package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/stream/streamtest"
)

// A new user plays two own files. They are not in the order of time, and one row has a missing
// value.
func TestDemoOfOwnFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	files := [2]strings.Builder{}
	for k := range files {
		files[k].WriteString("name,x,y,z,group,seen\n")
	}
	for i := range 400 {
		x := fmt.Sprintf("%d.5", i*37%101)
		if i == 7 {
			x = ""
		}
		fmt.Fprintf(&files[i%2], "n%d,%s,%d,%d,g%d,2026-03-01 10:%02d:%02d\n", i, x, i*53%97+200*(i/300), i*71%89, i/300, i/60, i%60)
	}
	write(t, "a.csv", files[1].String())
	write(t, "b.csv", files[0].String())
	out := must(t, "-q", "demo", "a.csv", "b.csv", "--columns", "x,y,z", "--id", "name", "--label", "group", "--time", "seen", "--rate", "4000", "--out", "out")
	for _, want := range []string{
		`stream    400 events of 2 files in \d+ messages, 1 of which cannot be placed: a.csv: row 4 \(line 5\), column "x": the value is missing`,
		`dead letter: topic events, partition \d, offset \d: row 1, column "x": the value is missing`,
		`(\d+) in, \d+ answered, 2 dead letters\.`,
		`at 4,000 events a second`,
		`group +events +on arrival +once learnt\n +g1 +100 `,
		`out/map.png +the map, coloured by group`,
		`out/map.parquet +399 places`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the demo does not say %s:\n%s", want, out)
		}
	}
	if stage, fit := demoNearest(t, out); stage < min(fit-1, 95) {
		t.Errorf("the groups are less apart than on the map of a fit: 1-NN %v %%, of the fit %v %%", stage, fit)
	}
	all, err := ingest.ReadMap(t.Context(), "out/places.parquet", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all.Len() != 2*399 {
		t.Errorf("%d places, expected each of 399 events twice", all.Len())
	}
	first := map[string]bool{}
	for _, id := range all.ID.Strings()[:50] {
		first[id] = true
	}
	for i := range 40 {
		if id := fmt.Sprintf("n%d", i); i != 7 && !first[id] {
			t.Errorf("event %s came late; the first are %v", id, all.ID.Strings()[:50])
			break
		}
	}
	// As JSON, with one event per message, without ids, of the columns that inspect suggests.
	out = must(t, "-q", "demo", "b.csv", "--label", "group", "--rate", "4000", "--messages", "json", "--out", "objects")
	if want := "400 in, 400 answered, 0 dead letters"; !strings.Contains(out, want) {
		t.Errorf("of JSON the demo does not say %s:\n%s", want, out)
	}
	objects, err := ingest.ReadMap(t.Context(), "objects/places.parquet", ingest.Options{})
	if err != nil || objects.Len() != 400 {
		t.Errorf("of JSON there are %v: %v", objects, err)
	}
	// Other commands accept the files that the demo leaves.
	must(t, "inspect", "out/state/map.unfold")
	must(t, "plot", "out/map.parquet", "--color", "group", "-o", "again.png")
	must(t, "lint", "--offline", "-c", "out/unfold.yaml")
	for _, name := range []string{"map.png", "novelty.png"} {
		if info, err := os.Stat(filepath.Join("out", name)); err != nil || info.Size() < 5000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// demoNearest parses the accuracy of nearest neighbours from the demo's output, in percent: of the
// demo's map and of a fit.
func demoNearest(t *testing.T, out string) (stage, fit float64) {
	t.Helper()
	found := regexp.MustCompile(`The nearest neighbour on the map has the same \S+ for ([\d.]+) % of its [\d,]+ points; on the map of a fit of the same points for ([\d.]+) %\.`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("no line compares the map with a fit's:\n%s", out)
	}
	var err [2]error
	stage, err[0] = strconv.ParseFloat(found[1], 64)
	fit, err[1] = strconv.ParseFloat(found[2], 64)
	if err[0] != nil || err[1] != nil || fit < 60 {
		t.Fatalf("%s: %v", found[0], err)
	}
	return stage, fit
}

// With --stay the page remains after the demo, and the stream continues until it is interrupted.
func TestDemoStays(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	text.WriteString("name,x,y\n")
	for i := range 300 {
		fmt.Fprintf(&text, "n%d,%d.5,%d\n", i, i*37%101, i*53%97)
	}
	write(t, "a.csv", text.String())
	m := start(t, "demo", "a.csv", "--columns", "x,y", "--id", "name", "--rate", "4000", "--stay", "yes")
	address := m.wrote(&m.out, `The live map is at http://(\S+), and the stream plays on`)[1]
	client := asking(m, address)
	streamtest.Await(t, "the page has points", func() bool {
		status, body := client.get(t, "/api/map")
		return status == 200 && strings.Contains(string(body), `"points":300`)
	})
	before, _ := os.ReadFile("unfold-demo/map.parquet")
	if len(before) == 0 {
		t.Error("the results are not there while it stays")
	}
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
