package cli

import (
	"bytes"
	"os"
	"testing"
)

// Without a model to write, fit writes the same map.
func TestFitWritesAMapAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	blobs(t, "rows.csv", 90, 1)
	for _, outputs := range []string{"--map alone.csv", "--map beside.csv -o m.unfold"} {
		must(t, words("-q fit rows.csv --columns * --steps 20 "+outputs)...)
	}
	alone, err := os.ReadFile("alone.csv")
	if err != nil {
		t.Fatal(err)
	}
	if beside, err := os.ReadFile("beside.csv"); err != nil || !bytes.Equal(alone, beside) || len(alone) == 0 {
		t.Errorf("maps of %d and %d bytes differ, error %v", len(alone), len(beside), err)
	}
}
