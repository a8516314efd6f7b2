package stage

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"unfold/internal/testkit/mutate"
	"unfold/internal/testkit/tier"
)

// Mutated journals are rejected or contain valid offsets.
func TestMutantsOfJournals(t *testing.T) {
	each := 200
	if tier.All() {
		each = 3000
	}
	raw, err := json.Marshal(journalFile{journalFormat, "g", "in", "01000000000000000000000000000010", time.Unix(1, 0).UTC(), map[int]int64{0: 4, 1: 6, 17: 1 << 40}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), journalName)
	read := func(raw []byte) (*journal, error) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		j := &journal{path: path, group: "g", topic: "in"}
		return j, j.read()
	}
	if j, err := read(raw); err != nil || len(j.noted.Offsets) != 3 {
		t.Fatalf("as it is: %+v, %v", j.noted, err)
	}
	// Negative partitions and offsets are invalid.
	for _, bad := range []string{`"17":-1`, `"-17":1`} {
		if j, err := read(bytes.Replace(raw, []byte(`"17":1099511627776`), []byte(bad), 1)); err == nil {
			t.Errorf("%s is read as %v", bad, j.noted.Offsets)
		}
	}
	r, refused := rand.New(rand.NewPCG(46, 12)), 0
	for i := range each {
		value := mutate.JSON(r, raw)
		j, err := read(value)
		if err != nil {
			if refused++; j.noted.Offsets != nil {
				t.Errorf("mutant %d, %s: offsets %v of a journal that cannot be read: %v", i, value, j.noted.Offsets, err)
			}
			continue
		}
		for partition, offset := range j.Known().Offsets {
			if partition < 0 || offset < 0 {
				t.Errorf("mutant %d, %s: offset %d of partition %d", i, value, offset, partition)
			}
		}
	}
	t.Logf("%d mutants, %d of them refused", each, refused)
}
