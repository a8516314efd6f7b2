package registry_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/stream/registry"
)

// The layouts are those of Confluent's serializers.
func TestFrameLayout(t *testing.T) {
	if got := registry.AppendID([]byte("x"), 258); !bytes.Equal(got, []byte{'x', 0, 0, 0, 1, 2}) {
		t.Errorf("an id is % x", got)
	}
}

func TestFramesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, tail := rapid.IntRange(0, 1<<31-1).Draw(t, "id"), rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		framed := append(registry.AppendID(nil, id), tail...)
		back, rest, err := registry.ParseID(framed)
		if err != nil || back != id || !bytes.Equal(rest, tail) || !registry.Framed(framed) {
			t.Fatalf("%d %x, %v", back, rest, err)
		}
		ref, rest, err := registry.ParseHeader(framed)
		if err != nil || ref != (registry.Ref{ID: id}) || !bytes.Equal(rest, tail) {
			t.Fatalf("%v %x, %v", ref, rest, err)
		}
		guid := registry.Ref{GUID: rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "guid")}
		digits, err := hex.DecodeString(strings.ReplaceAll(guid.GUID, "-", ""))
		if err != nil {
			t.Fatal(err)
		}
		header := append([]byte{1}, digits...)
		ref, rest, err = registry.ParseHeader(append(header, tail...))
		if err != nil || ref != guid || !bytes.Equal(rest, tail) {
			t.Fatalf("%v %x, %v", ref, rest, err)
		}
	})
}

func TestBadFrames(t *testing.T) {
	for _, b := range [][]byte{nil, {0}, {0, 0, 0, 1}, {2, 0, 0, 0, 1}, {0, 0x80, 0, 0, 0}} {
		if _, _, err := registry.ParseID(b); err == nil {
			t.Errorf("% x has an id", b)
		}
		if _, _, err := registry.ParseHeader(b); err == nil {
			t.Errorf("% x names a schema", b)
		}
	}
	if _, _, err := registry.ParseHeader(append([]byte{1}, make([]byte, 15)...)); err == nil {
		t.Error("15 bytes are a GUID")
	}
}

func TestSubjects(t *testing.T) {
	for strategy, want := range map[registry.Strategy]string{
		"": "events-value", registry.TopicName: "events-value", registry.RecordName: "a.B", registry.TopicRecordName: "events-a.B",
	} {
		if got := strategy.Subject("events", "a.B"); got != want {
			t.Errorf("%q: %q, want %q", strategy, got, want)
		}
	}
}

// Frames and headers equal those of confluent-kafka's AvroSerializer: testdata/foreign/avro.py.
func TestForeignFrames(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "foreign", "avro", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	body := read("flat.bin")
	id, rest, err := registry.ParseID(read("flat.framed"))
	if err != nil || id != 1 || !bytes.Equal(rest, body) || !bytes.Equal(read("flat.body"), body) {
		t.Errorf("id %d, % x, %v", id, rest, err)
	}
	ref, rest, err := registry.ParseHeader(read("flat.header"))
	if err != nil || len(ref.GUID) != 36 || len(rest) != 0 {
		t.Errorf("header %v, % x, %v", ref, rest, err)
	}
}
