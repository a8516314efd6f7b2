package demo

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/cmd/internal/config"
	"unfold/testdata/kdd"
)

// The demo's measurement of novelty: with a map learnt from normal traffic alone, novelty separates
// attacks from normal traffic.
func TestNoveltyTellsAttacksFromNormalTraffic(t *testing.T) {
	path := filepath.Join(t.TempDir(), DataFile)
	if err := os.WriteFile(path, kdd.CSVGz, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Novelty(t.Context(), path, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("AUC %.4f by novelty_global, %.4f by novelty_local; %d learnt, %d normal, %d attacks", f.Global, f.Local, f.Learnt, f.Normal, f.Attacks)
	if f.Global < 0.95 {
		t.Errorf("AUC by novelty_global is %.4f, expected at least 0.95", f.Global)
	}
	if f.Local < 0.85 {
		t.Errorf("AUC by novelty_local is %.4f, expected at least 0.85", f.Local)
	}
	if f.Learnt < 5000 || f.Normal < 5000 || f.Attacks < 5000 {
		t.Errorf("too few to count: %+v", f)
	}
	again, err := Novelty(t.Context(), path, 1)
	if err != nil || again != f {
		t.Errorf("another time %+v, %v", again, err)
	}
}

func TestStreamHoldsEveryConnection(t *testing.T) {
	s, err := Connections(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if s.Events != 26913 || len(s.messages) != (26913+perConnections-1)/perConnections || len(s.broken) != 3 {
		t.Errorf("%d events in %d messages, %d broken", s.Events, len(s.messages), len(s.broken))
	}
	queue := withBroken(s)
	if len(queue) != len(s.messages)+3 || !bytes.Equal(queue[0], s.messages[0]) || !bytes.Equal(queue[len(queue)-1], s.messages[len(s.messages)-1]) {
		t.Errorf("%d messages in the first round, expected %d", len(queue), len(s.messages)+3)
	}
}

func TestConfigurationIsSound(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's ${HERE}")
	s, err := Connections(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	broker, err := StartBroker(s)
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	file, err := Prepare(folder, broker, s, s.Rate)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(file, func(string) (string, bool) { return "", false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if state, err := c.StateFolder(); err != nil || state != filepath.Join(folder, StateFolder) {
		t.Errorf("state folder %q, %v", state, err)
	}
	// The map of an earlier demo is removed, and other files stay.
	for _, name := range []string{"map.unfold", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(folder, StateFolder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Prepare(folder, broker, s, s.Rate); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(strings.ReplaceAll(filepath.Join(folder, StateFolder), "$", "[$]") + "/*")
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "mine.txt" {
		t.Errorf("left in the state folder: %v, %v", left, err)
	}
}

func checkPicture(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}
