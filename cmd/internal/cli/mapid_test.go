package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/internal/foreign"
	"unfold/models/snapshot"
)

func mapIDOf(t *testing.T, path string) string {
	t.Helper()
	s, err := snapshot.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := snapshot.CheckMapID(s.MapID); err != nil {
		t.Fatal(err)
	}
	return s.MapID
}

// Equal fits give equal bytes and ids, different fits different ids. The maps that fit and embed
// write have the id.
func TestFitIdentifiesTheMap(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "small.csv", smallCSV())
	fit := func(name string, more ...string) string {
		t.Helper()
		must(t, append([]string{"-q", "fit", "small.csv", "--columns", "x,y,z", "--steps", "20", "-o", name}, more...)...)
		return mapIDOf(t, name)
	}
	id := fit("a.unfold", "--map", "a.parquet")
	if again := fit("b.unfold"); again != id {
		t.Errorf("the same fit has the ids %s and %s", id, again)
	}
	one, err := os.ReadFile("a.unfold")
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile("b.unfold")
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("the same fit gives other bytes, %v", err)
	}
	if other := fit("c.unfold", "--seed", "2"); other == id {
		t.Error("a fit with another seed has the same id")
	}
	if out := must(t, "inspect", "a.unfold"); !strings.Contains(out, "map id") || !strings.Contains(out, id) {
		t.Errorf("inspect does not say the id %s:\n%s", id, out)
	}
	for _, ending := range []string{"arrow", "arrows", "parquet"} {
		must(t, "-q", "embed", "small.csv", "-m", "a.unfold", "-o", "places."+ending)
		m, err := ingest.ReadMap(t.Context(), "places."+ending, ingest.Options{})
		if err != nil || m.MapID != id {
			t.Errorf("places.%s: map %q, %v", ending, m.MapID, err)
		}
	}
	must(t, "-q", "embed", "small.csv", "-m", "a.unfold", "-o", "places.csv")
	if m, err := ingest.ReadMap(t.Context(), "places.csv", ingest.Options{}); err != nil || m.MapID != "" {
		t.Errorf("places.csv: map %q, %v", m.MapID, err)
	}
	if out := must(t, "inspect", "places.parquet"); !strings.Contains(out, ", of the map "+id) {
		t.Errorf("inspect does not say the id %s:\n%s", id, out)
	}
}

// Other programs find the map's id under its documented name.
func TestForeignReadersFindTheMapID(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "small.csv", smallCSV())
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--steps", "20", "-o", "m.unfold", "--map", "m.arrow")
	must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "m.parquet")
	must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "m.arrows")
	out := foreign.Run(t, `
import pyarrow as pa, pyarrow.parquet as pq
for schema in (pa.ipc.open_file("m.arrow").schema, pa.ipc.open_stream("m.arrows").schema, pq.read_schema("m.parquet")):
    print(schema.metadata[b"unfold-map-id"].decode())`)
	id := mapIDOf(t, "m.unfold")
	if want := strings.Repeat(id+"\n", 3); string(out) != want {
		t.Errorf("pyarrow reads\n%swant\n%s", out, want)
	}
}
