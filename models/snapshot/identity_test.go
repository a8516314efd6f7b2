package snapshot

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestContentID(t *testing.T) {
	s := sample(7, 20, 4, 2, true)
	id := func() string {
		t.Helper()
		id, err := s.ContentID()
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckMapID(id); err != nil {
			t.Error(err)
		}
		return id
	}
	first := id()
	s.MapID = first
	if again := id(); again != first {
		t.Errorf("with its id in it the content has the id %s, without %s", again, first)
	}
	s.Settings = []byte(`{"dims":2,"seed":2}`)
	if other := id(); other == first {
		t.Error("other settings have the same id")
	}
	settings := id()
	s.Mu.Data[3] += 1e-9
	if other := id(); other == settings {
		t.Error("another map has the same id")
	}
	s.Version = 0
	if _, err := s.ContentID(); err == nil {
		t.Error("what cannot be written has an id")
	}
}

func TestNewMapID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewMapID()
		if err := CheckMapID(id); err != nil || seen[id] {
			t.Fatalf("%s: seen %v, %v", id, seen[id], err)
		}
		seen[id] = true
	}
}

// A map's id is hexadecimal digits or empty.
func TestMapIDs(t *testing.T) {
	s := sample(3, 9, 3, 2, false)
	for id, good := range map[string]bool{
		"": true, strings.Repeat("0f", 16): true, strings.Repeat("0F", 16): false, "map": false,
		strings.Repeat("0", 31): false, strings.Repeat("0", 33): false, strings.Repeat("é", 16): false,
	} {
		s.MapID = id
		err := Write(new(bytes.Buffer), s)
		if (err == nil) != good {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

// Older files have no map id.
func TestOldFilesHaveNoMapID(t *testing.T) {
	files, err := filepath.Glob("../../testdata/snapshots/v[123]*.unfold")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d frozen files, %v", len(files), err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(f)
		f.Close()
		if err != nil || s.MapID != "" {
			t.Errorf("%s: id %q, %v", path, s.MapID, err)
		}
	}
}
