package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"unfold/ingest/table"
	"unfold/stream/view"
)

// Points whose class has become certain on the current map are no longer listed.
func TestUncertain(t *testing.T) {
	hub := view.New(view.Settings{})
	err := hub.Put(view.Rows{
		ID: table.StringColumn("id", []string{"a", "b", "c", "d"}), X: make([]float32, 4), Y: make([]float32, 4),
		Columns: []table.Column{
			table.StringColumn("class", []string{"web", "web", "dns", "dns"}),
			table.Float32Column("class_probability", []float32{.5, .6, .7, .9}),
			table.Float32Column("class_entropy", []float32{.7, .6, .5, .2}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	again := func(_ context.Context, points []view.Uncertain) error {
		for i := range points {
			if points[i].ID == "a" {
				points[i].Entropy, points[i].Classes = .01, []view.ClassShare{{Class: "dns", Probability: .99}}
			}
		}
		return failed
	}
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Again: again})
	var got struct{ Points []view.Uncertain }
	_, _, body := ask(t, url+"/api/uncertain?n=2", nil)
	if err := json.Unmarshal([]byte(body), &got); err != nil || len(got.Points) != 2 || got.Points[0].ID != "b" || got.Points[1].ID != "c" ||
		got.Points[0].Classes[0].Class != "web" || got.Points[0].Entropy != float64(float32(.6)) {
		t.Errorf("%s, %v", body, err)
	}
	failed = errors.New("no map")
	if status, _, _ := ask(t, url+"/api/uncertain", nil); status != 503 {
		t.Errorf("a failed prediction: status %d", status)
	}
}
