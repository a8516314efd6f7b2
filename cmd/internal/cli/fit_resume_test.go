//go:build linux

package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"unfold/cmd/internal/config"
	"unfold/ingest"
	"unfold/internal/journal"
	"unfold/internal/lock"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

// restOf is the folder of a fit whose outputs are m.unfold and map.csv.
const restOf = "m.unfold.unfinished"

// resumed is a fit of more rows than have room that was interrupted between its two passes.
type resumed struct {
	args []string
	// folder is a copy of the folder that it left.
	folder string
}

func interrupted(t *testing.T) *resumed {
	t.Helper()
	args := strings.Fields("rows.npy --label-file kinds.csv --classify --class-probabilities --report r.json --steps 60")
	r := &resumed{folder: t.TempDir()}
	r.args = slices.Concat([]string{"fit", "-o", "m.unfold", "--map", "map.jsonl.gz", "--memory", halfRoom(t, args)}, args)
	code, said := beyondRun(t, "", []string{cancelAt + "=learnt, and kept in " + restOf}, r.args...)
	if code != exitFailed || !strings.Contains(said, "interrupted") || !strings.Contains(said, restOf+" keeps the work that is done: the same command goes on from there") {
		t.Fatalf("exit %d: %s", code, said)
	}
	if left := names(t, "."); strings.Contains(left, "map.jsonl") || strings.Contains(left, "r.json") {
		t.Fatalf("it leaves %s", left)
	}
	copyFolder(t, restOf, r.folder)
	return r
}

// back restores the folder that the interrupted run left.
func (r *resumed) back(t *testing.T) { copyFolder(t, r.folder, restOf) }

// run runs the fit to its end, and fails unless it says want. The folder has to go.
func (r *resumed) run(t *testing.T, want string) {
	t.Helper()
	code, said := beyondRun(t, "", nil, r.args...)
	if code != exitDone || !strings.Contains(said, want) {
		t.Fatalf("exit %d, want %q: %s", code, want, said)
	}
	if _, err := os.Stat(restOf); err == nil {
		t.Errorf("%s stays", restOf)
	}
}

// outputs returns the contents of the outputs, the report without its times.
func (r *resumed) outputs(t *testing.T) (model, places, report string) {
	t.Helper()
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	lines := slices.DeleteFunc(strings.Split(read("r.json"), "\n"), func(line string) bool {
		return slices.ContainsFunc([]string{"seconds", "bytes", `"place"`, `"read"`, `"write"`, `"total"`}, func(s string) bool { return strings.Contains(line, s) })
	})
	return read("m.unfold"), read("map.jsonl.gz"), strings.Join(lines, "\n")
}

// placeSome continues the journal of a fit with the places of the first batch, changed by change.
func placeSome(t *testing.T, change func(k *keptRows)) {
	t.Helper()
	u := &unfinished{dir: restOf}
	s, err := snapshot.ReadFile(u.model())
	if err != nil {
		t.Fatal(err)
	}
	settings := config.Defaults()
	settings.Source.ClassProbabilities = true
	e, err := embedderOf(s, u.model(), "map.jsonl.gz", settings, embed.Explain{})
	if err != nil {
		t.Fatal(err)
	}
	r, m, err := e.open(t.Context(), "rows.npy", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Table(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if u.log, err = journal.Open(u.journal()); err != nil {
		t.Fatal(err)
	}
	defer u.close()
	for err == nil {
		_, err = u.log.Next()
	}
	k := rowsOf(o, nil, 0, o.Len())
	change(&k)
	u.append(k)
}

// A fit goes on where an earlier one was interrupted. Its outputs are the same to the byte wherever that
// was, and are those of a fit without an interruption.
func TestFitResumed(t *testing.T) {
	t.Chdir(t.TempDir())
	group := beyondData(t)
	r := interrupted(t)
	const goesOn = "going on from " + restOf + ": the map is learnt"
	r.run(t, goesOn)
	model, places, report := r.outputs(t)
	if kept, err := os.ReadFile(r.folder + "/model.unfold"); err != nil || string(kept) != model {
		t.Errorf("the model is not the one that was learnt: %v", err)
	}
	m := beyondMap(t, "map.jsonl.gz")
	learnt := beyondRows
	for _, placed := range m.unlearnt {
		if placed {
			learnt--
		}
	}
	m.check(t, learnt, group, false)
	m.sameAsEmbed(t, []string{"rows.npy"})
	checkPlacedReport(t, learnt)

	r.back(t)
	placeSome(t, func(*keptRows) {})
	cutJournal(t, 0)
	r.run(t, goesOn)
	r.same(t, "within the second pass", model, places, report)

	r.back(t)
	placeSome(t, func(*keptRows) {})
	cutJournal(t, 100)
	r.run(t, goesOn)
	r.same(t, "within a write of the journal", model, places, report)

	r.back(t)
	placeSome(t, func(k *keptRows) {
		for i := range k.Embedding {
			k.Embedding[i] = 1234.5
		}
	})
	r.run(t, goesOn)
	m, taken := beyondMap(t, "map.jsonl.gz"), 0
	for i := range m.Len() {
		if m.unlearnt[i] && m.X.Row(i)[0] == 1234.5 {
			taken++
		}
	}
	if taken < 1000 {
		t.Errorf("%d rows have the journal's places: the others were placed again", taken)
	}

	r.back(t)
	held, _, err := lock.Try(restOf + "/lock")
	if err != nil {
		t.Fatal(err)
	}
	code, said := beyondRun(t, "", nil, r.args...)
	if want := fmt.Sprintf("%s is in use by another process (process %d)", restOf, os.Getpid()); code != exitFailed || !strings.Contains(said, want) {
		t.Errorf("while another process works on it: exit %d, %s", code, said)
	}
	owner, err := os.ReadFile(restOf + "/owner")
	if err := errors.Join(err, held.Close()); err != nil {
		t.Fatal(err)
	}
	// What a killed process left of its map goes, too.
	write(t, ".map.jsonl.gz."+string(owner)+"00000000.tmp", "half a map")

	now := time.Now().Add(time.Hour)
	if err := os.Chtimes("rows.npy", now, now); err != nil {
		t.Fatal(err)
	}
	r.run(t, "beginning again, and not from "+restOf+": it is of another command, of other data")
	if left := names(t, "."); strings.Contains(left, ".tmp") {
		t.Errorf("it leaves %s", left)
	}
}

// same compares the outputs with those of another run.
func (r *resumed) same(t *testing.T, where, model, places, report string) {
	t.Helper()
	m, p, s := r.outputs(t)
	if m != model || p != places || s != report {
		t.Errorf("interrupted %s: other outputs: model %v, map %v, report %v", where, m != model, p != places, s != report)
	}
}

// cutJournal removes the last bytes of the journal.
func cutJournal(t *testing.T, n int64) {
	t.Helper()
	path := restOf + "/places"
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-n)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copyFolder replaces a folder by a copy of another one.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
