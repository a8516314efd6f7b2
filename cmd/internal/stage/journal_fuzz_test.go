package stage

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzJournal reads arbitrary bytes as a journal: the result is an error or offsets.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"format":1,"group":"g","topic":"t","topic_id":"00000000000000000000000000000000","offsets":{"0":1}}`))
	f.Add([]byte(`{"format":1,"group":"g","topic":"t","topic_id":"zz","offsets":{"-1":1e308}}`))
	f.Add([]byte("null"))
	path := filepath.Join(f.TempDir(), journalName)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		j := &journal{path: path, group: "g", topic: "t"}
		if err := j.read(); err != nil && j.noted.Offsets != nil {
			t.Errorf("offsets %v of a journal that cannot be read: %v", j.noted.Offsets, err)
		}
	})
}
