package stage

import (
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/kafka"
)

// The next process of the same group and topic reads the committed offsets.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	open := func(group, topic string) *journal {
		t.Helper()
		j, err := openJournal(dir, group, topic, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	at := func(partition int, offset int64) stream.Position {
		return stream.Position{TopicPartition: stream.TopicPartition{Topic: "in", Partition: partition}, Offset: offset}
	}
	id := [16]byte{1, 15: 16}
	j := open("g", "in")
	if k := j.Known(); len(k.Offsets) != 0 || k.Topic != [16]byte{} {
		t.Errorf("at first: %+v", k)
	}
	j.Note([16]byte{2}, []stream.Position{at(7, 70)})
	begun := time.Now()
	j.Note(id, []stream.Position{at(0, 4), at(1, 5)})
	j.Note(id, []stream.Position{at(1, 6)})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	want := kafka.Noted{Topic: id, Offsets: map[int]int64{0: 4, 1: 6}}
	j = open("g", "in")
	k := j.Known()
	if k.Topic != want.Topic || !maps.Equal(k.Offsets, want.Offsets) || k.At.Before(begun.Add(-time.Second)) {
		t.Errorf("%+v, want %+v", k, want)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, other := range [][2]string{{"h", "in"}, {"g", "out"}} {
		j := open(other[0], other[1])
		if k := j.Known(); len(k.Offsets) != 0 || k.Topic != [16]byte{} {
			t.Errorf("of another group or topic: %+v", k)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, journalName)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, bad := range []string{"{", `{"format": 2}`, `{"format": 1, "group": "g", "topic": "in", "topic_id": "12"}`} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openJournal(dir, "g", "in", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Files of format 1 stay readable in all later versions.
func TestJournalFormat1(t *testing.T) {
	dir := t.TempDir()
	frozen := `{"format":1,"group":"g","topic":"in","topic_id":"000102030405060708090a0b0c0d0e0f","at":"2026-11-29T01:02:03Z","offsets":{"0":4,"11":12345678901}}`
	if err := os.WriteFile(filepath.Join(dir, "offsets.json"), []byte(frozen), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := openJournal(dir, "g", "in", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	k := j.Known()
	if k.Topic != [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} || !maps.Equal(k.Offsets, map[int]int64{0: 4, 11: 12345678901}) ||
		!k.At.Equal(time.Date(2026, 11, 29, 1, 2, 3, 0, time.UTC)) {
		t.Errorf("%+v", k)
	}
}

// Embedders and a learner that share a state folder each write their own journal, and read all of
// them.
func TestEmbedderJournals(t *testing.T) {
	dir := t.TempDir()
	learner, err := lockState(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer learner.Close()
	open := func() (*journal, func()) {
		t.Helper()
		j, lock, err := openEmbedderJournal(dir, "g", "in", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return j, func() {
			t.Helper()
			if err := errors.Join(j.Close(), lock.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	at := func(partition int, offset int64) []stream.Position {
		return []stream.Position{{TopicPartition: stream.TopicPartition{Topic: "in", Partition: partition}, Offset: offset}}
	}
	id := [16]byte{1}
	first, end := open()
	second, endSecond := open()
	first.Note(id, at(0, 4))
	first.Note(id, at(1, 5))
	second.Note(id, at(1, 9)) // the partition has moved here
	second.Note(id, at(2, 6))
	end()
	endSecond()
	for range 2 {
		third, end := open()
		if k := third.Known(); k.Topic != id || !maps.Equal(k.Offsets, map[int]int64{0: 4, 1: 9, 2: 6}) {
			t.Errorf("%+v", k)
		}
		end()
	}
	// Offsets of an earlier topic with the same name are ignored.
	last, end := open()
	last.Note([16]byte{2}, at(0, 1))
	end()
	again, end := open()
	if k := again.Known(); k.Topic != [16]byte{2} || !maps.Equal(k.Offsets, map[int]int64{0: 1}) {
		t.Errorf("%+v", k)
	}
	end()
	if _, _, err := openEmbedderJournal("/dev/null/state", "g", "in", slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a folder that cannot be made")
	}
}
