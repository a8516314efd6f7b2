package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unfold/models/snapshot"
)

// jsonKeys returns the JSON keys of a type, including nested ones.
func jsonKeys(typ reflect.Type) []string {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for f := range typ.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
			keys = append(keys, name)
		}
		keys = append(keys, jsonKeys(f.Type)...)
	}
	return keys
}

// inspect --json writes one line that describes a model, and docs/reference/json.md documents every
// key.
func TestInspectJSON(t *testing.T) {
	formats := page(t, filepath.Join(repository, "docs", "reference", "json.md"))
	_, section, _ := strings.Cut(formats, "\n## What inspect --json writes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, key := range slices.Concat(jsonKeys(reflect.TypeFor[modelReport]()), jsonKeys(reflect.TypeFor[tableReport]())) {
		if !strings.Contains(section, "`"+key+"`") {
			t.Errorf("docs/reference/json.md does not explain the key %q", key)
		}
	}
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "-o", "small.unfold", "--map", "map.parquet", "--columns", "x,y,z", "--id", "name", "--label", "group", "--keep", "size", "--classify", "--steps", "20")
	out := must(t, "inspect", "--json", "small.unfold")
	if strings.Count(out, "\n") != 1 {
		t.Errorf("more than one line: %s", out)
	}
	var got modelReport
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.ReadFile("small.unfold")
	if err != nil {
		t.Fatal(err)
	}
	blocks := got.Blocks
	want := modelReport{
		File: "small.unfold", What: "model", Bytes: got.Bytes, Format: got.Format, Kind: "lvm", MapID: s.MapID, Version: 1, Epoch: 1,
		Dims: 2, Values: 3, Elements: []string{"x", "y", "z"}, Points: 100, Rows: 200,
		ID: "name", Label: "group", Keep: []string{"size"}, Classes: []string{"g0", "g1"},
		Settings: s.Settings, Blocks: blocks,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("inspect --json writes\n%+v, expected\n%+v", got, want)
	}
	last := blocks[len(blocks)-1]
	if got.Bytes < last.Bytes || !slices.ContainsFunc(blocks, func(b blockReport) bool { return b.Name == "mu" && b.Rows == 100 && b.Columns == 2 }) {
		t.Errorf("%d bytes, blocks %+v", got.Bytes, blocks)
	}
	var table tableReport
	if err := json.Unmarshal([]byte(must(t, "inspect", "--json", "map.parquet", "--rows", "1")), &table); err != nil {
		t.Fatal(err)
	}
	if table.What != "map" || table.MapID != s.MapID || table.Rows == nil || *table.Rows != 200 || len(table.First) != 1 || *table.First[0]["group"] != "g0" {
		t.Errorf("of the map: %+v", table)
	}
}

// Of a table of texts alone, inspect says how they become vectors.
func TestInspectOfTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.csv")
	var text strings.Builder
	text.WriteString("note,link\n")
	for i := range 20 {
		fmt.Fprintf(&text, "the %dth note is about something,http://x/%d\n", i, i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, stderr := run(t, "inspect", path)
	if code != 0 || !strings.Contains(out, "without one, its words do: --columns 'note:tokens=64'") {
		t.Errorf("%d\n%s\n%s", code, out, stderr)
	}
}
