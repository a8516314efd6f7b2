package demo

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/stage"
	"unfold/ingest"
	"unfold/internal/testkit/tier"
	"unfold/models"
	"unfold/models/fit"
)

// TestDemo runs the demo with a faster stream and a map that is learnt in fewer steps.
func TestDemo(t *testing.T) {
	tier.Full(t, "it plays the demo")
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	folder := t.TempDir()
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
	c, err := config.Load(file, func(string) (string, bool) { return "", false }, map[string]string{"reference.size": "3000", "refresh.every": "2s"})
	if err != nil {
		t.Fatal(err)
	}
	columns, err := ingest.ParseColumns("*,-record,protocol_type,service,flag")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Settings{
		Folder: folder, Stream: s, Broker: broker, Rate: 8000, Say: t.Logf,
		Stage: stage.Settings{
			Config:  c,
			Mapping: ingest.Mapping{Columns: columns, Log1p: true, Selection: ingest.Selection{ID: "record", Label: "label", Keep: []string{"category"}}},
			Spec:    fit.Spec{Common: models.Common{Steps: 40, Seed: 1}},
			Version: "test",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.DeadLetters != 3 || r.Answered != 2*1346 || r.Maps < 2 {
		t.Errorf("result %+v", r)
	}
	if n := r.Nearest; n == nil || n.Points < 2000 || n.Stage < min(n.Fit-0.01, 0.95) || n.Fit < 0.9 {
		t.Errorf("nearest neighbours with the same attack: %+v", n)
	}
	if len(r.Arrivals) < 8 {
		t.Errorf("only %d attacks are reported: %+v", len(r.Arrivals), r.Arrivals)
	}
	for _, a := range r.Arrivals {
		if a.Label == "neptune" && a.New < 0.9 {
			t.Errorf("neptune was not novel when it first came: %.2f", a.New)
		}
	}
	all, err := ingest.ReadMap(t.Context(), filepath.Join(folder, PlacesFile), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all.Len() != 2*26913 {
		t.Errorf("%s holds %d places, expected every connection twice", PlacesFile, all.Len())
	}
	frame, err := ingest.ReadMap(t.Context(), filepath.Join(folder, MapFile), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if frame.Len() != r.Rows || r.Rows < 10000 || frame.Epoch != r.Epoch {
		t.Errorf("%s holds %d places of epoch %d; %d of epoch %d were expected", MapFile, frame.Len(), frame.Epoch, r.Rows, r.Epoch)
	}
	if d := r.Drawn; d.Inside+d.Outside != r.Rows || d.Lost != 0 {
		t.Errorf("of %d places the picture shows %+v", r.Rows, d)
	}
	checkPicture(t, filepath.Join(folder, MapPicture))
	checkPicture(t, filepath.Join(folder, NoveltyFile))
}
