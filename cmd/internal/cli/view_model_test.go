package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// The page of a map finds the map's model beside it, and gives the same reasons as the page of the model.
func TestViewAsksTheModelOfAMap(t *testing.T) {
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "-o", "m.unfold", "--map", "map.parquet", "--columns", "x,y,z", "--id", "name")
	must(t, "-q", "fit", "small.csv", "-o", "other.unfold", "--columns", "x,y,z", "--id", "name", "--seed", "2")
	must(t, "-q", "fit", "small.csv", "-o", "plain.unfold", "--map", "plain.parquet", "--columns", "x,y,z")
	write(t, "late.csv", strings.ReplaceAll(smallCSV(), ",0.", ",0.123"))
	must(t, "-q", "embed", "late.csv", "-m", "plain.unfold", "-o", "late.parquet")

	model := start(t, "view", "m.unfold", "--listen", "127.0.0.1:0").said(`address=(\S+)`)[1]
	_, want := get(t, model, "/api/reasons/r105") // of the equal rows r005 and r105
	if !strings.Contains(want, `"reasons":[{"column"`) {
		t.Fatalf("the model's page answers %s", want)
	}
	for name, args := range map[string][]string{
		"found": {"view", "map.parquet"},
		"named": {"view", "map.parquet", "--model", "m.unfold"},
	} {
		address := start(t, args[0], append(args[1:], "--listen", "127.0.0.1:0")...).said(`address=(\S+)`)[1]
		for _, id := range []string{"r005", "r105"} {
			if status, got := get(t, address, "/api/reasons/"+id); status != http.StatusOK || strings.Replace(got, id, "r105", 1) != want {
				t.Errorf("%s: %s: %d %s, want %s", name, id, status, got, want)
			}
		}
	}
	// Rows without ids have their numbers. Those of other rows are no points of the model.
	numbered := start(t, "view", "plain.parquet", "--listen", "127.0.0.1:0").said(`address=(\S+)`)[1]
	if status, got := get(t, numbered, "/api/reasons/5"); status != http.StatusOK || !strings.Contains(got, `"reasons":[{"column"`) {
		t.Errorf("a row without an id: %d %s", status, got)
	}
	late := start(t, "view", "late.parquet", "--listen", "127.0.0.1:0").said(`address=(\S+)`)[1]
	if status, got := get(t, late, "/api/reasons/5"); status != http.StatusNotFound || !strings.Contains(got, "no vector") {
		t.Errorf("row 5 of other rows: %d %s", status, got)
	}
	if code, _, said := run(t, "view", "map.parquet", "--model", "other.unfold"); code != exitUsage || !strings.Contains(said, "the model of another map") {
		t.Errorf("another map's model: exit %d, %s", code, said)
	}
	if code, _, said := run(t, "view", "m.unfold", "--model", "m.unfold"); code != exitUsage || !strings.Contains(said, "--model goes with a map") {
		t.Errorf("a model of a model: exit %d, %s", code, said)
	}
	if err := os.Remove("m.unfold"); err != nil {
		t.Fatal(err)
	}
	alone := start(t, "view", "map.parquet", "--listen", "127.0.0.1:0").said(`address=(\S+)`)[1]
	if status, got := get(t, alone, "/api/reasons/r005"); status != http.StatusNotFound {
		t.Errorf("without a model: %d %s", status, got)
	}
}
