package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/models/snapshot"
)

func mapAt(t *testing.T, path string) *emit.Map {
	t.Helper()
	m, err := ingest.ReadMap(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// textColumn returns a column of a map as text.
func textColumn(t *testing.T, m *emit.Map, name string) []string {
	t.Helper()
	c, err := m.Column(name)
	if err != nil {
		t.Fatal(err)
	}
	return c.Strings()
}

// TestUpdate tests that rows are added and removed, that the others hardly move, and that ids,
// point numbers and the classifier are kept.
func TestUpdate(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "train.csv", 90, true)
	sheet(t, "all.csv", 100, false)
	all, err := os.ReadFile("all.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(all)), "\n")
	write(t, "more.csv", lines[0]+"\n"+strings.Join(lines[91:], "\n")+"\n")
	must(t, words("-q fit train.csv --columns * --id key --label kind --classify -o m.unfold --map map.csv --numbers")...)
	before := mapAt(t, "map.csv")
	numbers := textColumn(t, before, PointName)
	write(t, "gone.csv", "key\nkey 3\nkey 40\n")
	must(t, words("-q update m.unfold more.csv --forget gone.csv -o n.unfold --map places.csv --points points.csv --report report.json")...)

	points := mapAt(t, "points.csv")
	ids := textColumn(t, points, "id")
	if len(ids) != 90-2+10 {
		t.Fatalf("%d points, want 98", len(ids))
	}
	row := map[string]int{}
	for i, id := range ids {
		row[id] = i
	}
	at, moved, size := textColumn(t, points, PointName), 0.0, 0.0
	for i := range 90 {
		k, there := row[fmt.Sprintf("key %d", i)]
		if gone := i == 3 || i == 40; gone == there {
			t.Errorf("key %d: on the map %t", i, there)
		}
		if !there {
			continue
		}
		if at[k] != numbers[i] {
			t.Errorf("key %d has the number %s, it was %s", i, at[k], numbers[i])
		}
		for c := range 2 {
			a, b := float64(before.Embedding.Row(i)[c]), float64(points.Embedding.Row(k)[c])
			moved, size = max(moved, math.Abs(a-b)), max(size, math.Abs(a))
		}
	}
	if moved > 0.3*size {
		t.Errorf("points that stay moved by up to %.3g on a map of %.3g", moved, size)
	}
	places := mapAt(t, "places.csv")
	for i, number := range textColumn(t, places, PointName) {
		k := row[fmt.Sprintf("key %d", 90+i)]
		if at[k] != number {
			t.Errorf("row %d is point %s, %s in the list of points", i, number, at[k])
		}
	}
	s, err := snapshot.ReadFile("n.unfold")
	if err != nil {
		t.Fatal(err)
	}
	if s.Version != 2 || s.Epoch != 1 {
		t.Errorf("version %d of epoch %d", s.Version, s.Epoch)
	}
	must(t, words("-q embed more.csv -m n.unfold -o classes.csv")...)
	if of := mapAt(t, "classes.csv"); len(of.Class) != 10 || of.Class[0] == "" {
		t.Errorf("classes %v", of.Class)
	}

	// Removing by number, from a folder of files and in place gives the same bytes as by id.
	write(t, "numbers.csv", "point\n"+numbers[3]+"\n"+numbers[40]+"\n")
	if err := errors.Join(os.Mkdir("parts", 0o777), os.Rename("more.csv", "parts/more.csv")); err != nil {
		t.Fatal(err)
	}
	must(t, words("-q update m.unfold parts --forget numbers.csv -o m.unfold")...)
	a, errA := os.ReadFile("m.unfold")
	b, errB := os.ReadFile("n.unfold")
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("rows that go by number leave another map: %v, %v", errA, errB)
	}
}

// TestUpdateLeavesOut tests that a row with a missing value is rejected, or dropped wherever rows
// are read.
func TestUpdateLeavesOut(t *testing.T) {
	smallModel(t)
	write(t, "holes.csv", "name,x,y,z\nfirst,1,2,3\nsecond,1,,3\nthird,2,2,3\nfourth,3,2,1\n")
	if code, _, stderr := run(t, words("-q update m.unfold holes.csv -o n.unfold --map n.csv")...); code != exitBadInput || !strings.Contains(stderr, "holes.csv") {
		t.Errorf("with a hole: exit %d: %s", code, stderr)
	}
	must(t, words("-q update m.unfold holes.csv --missing drop -o n.unfold --map n.csv")...)
	if got, want := textColumn(t, mapAt(t, "n.csv"), "id"), []string{"first", "third", "fourth"}; !slices.Equal(got, want) {
		t.Errorf("places of %v, want %v", got, want)
	}
}

// TestUpdateRefuses tests invalid uses, and that the model is unchanged after them.
func TestUpdateRefuses(t *testing.T) {
	smallModel(t)
	before, err := os.ReadFile("m.unfold")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "ids.csv", "name\nnobody\n")
	write(t, "other.csv", "a,b\n1,2\n")
	write(t, "high.csv", "point\n"+strconv.Itoa(1<<20)+"\n")
	must(t, words("-q fit small.csv -o l.unfold --columns x,y,z --kind lllvm --steps 3")...)
	for _, row := range []struct {
		name, args, want string
		code             int
	}{
		{"nothing to do", "update m.unfold -o m.unfold", "name files of rows", exitUsage},
		{"no such id", "update m.unfold --forget ids.csv -o m.unfold", `no point of m.unfold has the id "nobody"`, exitBadInput},
		{"no such number", "update m.unfold --forget high.csv -o m.unfold", "point 1048576", exitBadInput},
		{"no ids", "update m.unfold --forget other.csv -o m.unfold", `neither a column "point" nor ids`, exitBadInput},
		{"other columns", "update m.unfold other.csv -o m.unfold", "x", exitBadInput},
		{"the model as a map", "update m.unfold small.csv -o n.unfold --map m.unfold", "m.unfold is an input", exitUsage},
		{"an array as a map", "update m.unfold small.csv -o n.unfold --map n.npy", "--map: .npy", exitUsage},
		{"standard input", "update m.unfold - -o n.unfold", "read twice", exitUsage},
		{"a kind that does not follow", "update l.unfold small.csv -o n.unfold", "do not follow", exitBadInput},
		{"no rows come", "update m.unfold --forget ids.csv -o n.unfold --map n.csv", "", exitBadInput},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := run(t, words("-q "+row.args)...)
			if code != row.code || !strings.Contains(stderr, row.want) {
				t.Errorf("exit %d: %s", code, stderr)
			}
		})
	}
	if after, err := os.ReadFile("m.unfold"); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the model was changed: %v", err)
	}
	if _, err := os.Stat("n.unfold"); err == nil {
		t.Error("a model was left")
	}
}
