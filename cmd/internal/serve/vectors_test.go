package serve

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream"
)

// decodedAnswer is a response of POST /decode.
type decodedAnswer struct {
	MapID   string `json:"map_id"`
	Vectors []struct {
		ID     int
		X, Y   float64
		Sigma  float64 `json:"vector_sigma"`
		Vector []float64
	}
}

// The places of rows decode to vectors near the rows, equally in JSON and in Arrow. A position far
// from all points has a larger error.
func TestDecode(t *testing.T) {
	s := served(t, model(t), Limits{})
	rows := sample(t, 1, 80) // the rows of the model
	status, _, places := ask(t, s, http.MethodPost, "/place", emit.JSONType, "", asJSON(t, rows))
	var at struct{ Places []struct{ X, Y float64 } }
	if err := json.Unmarshal(places, &at); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	var ask3 struct {
		Places [][]float64 `json:"places"`
	}
	for _, p := range at.Places {
		ask3.Places = append(ask3.Places, []float64{p.X, p.Y})
	}
	ask3.Places = append(ask3.Places, []float64{1e6, -1e6})
	body, _ := json.Marshal(ask3)
	status, _, text := ask(t, s, http.MethodPost, "/decode", emit.JSONType, "", body)
	var got decodedAnswer
	if err := json.Unmarshal(text, &got); err != nil || status != http.StatusOK || len(got.Vectors) != 81 || got.MapID == "" {
		t.Fatalf("%d, %v: %s", status, err, text)
	}
	var off, apart, sigma float64
	want := vectorsOf(t, rows)
	for i, v := range want {
		for c := range v {
			off += math.Pow(got.Vectors[i].Vector[c]-float64(v[c]), 2)
			apart += math.Pow(float64(want[(i+1)%len(want)][c]-v[c]), 2)
		}
		sigma += got.Vectors[i].Sigma / float64(len(want))
	}
	if !(off < apart/3) {
		t.Errorf("vectors are off by %g, rows apart by %g", off, apart)
	}
	if far := got.Vectors[80]; far.ID != 80 || far.X != 1e6 || !(far.Sigma > sigma) {
		t.Errorf("the error is %g far away, %g on the map", far.Sigma, sigma)
	}
	// /decode accepts an Arrow response of /place, and responds in Arrow.
	_, _, stream1 := ask(t, s, http.MethodPost, "/place", stream.ContentType, "", encoded(t, rows))
	status, header, answer := ask(t, s, http.MethodPost, "/decode", stream.ContentType, "", stream1)
	records, err := arrowfmt.DecodeMessage(answer, table.Origin{}, arrowfmt.Limits{})
	if err != nil || status != http.StatusOK || header.Get("Content-Type") != stream.ContentType || records.Len() != 80 {
		t.Fatalf("%d, %v", status, err)
	}
	errors, _ := records.Column("vector_sigma")
	if v, ok := errors.Float(0); !ok || math.Abs(v-got.Vectors[0].Sigma) > 1e-6 {
		t.Errorf("the error is %v in Arrow, %v in JSON", v, got.Vectors[0].Sigma)
	}
	for n := range 3 {
		body, _ := json.Marshal(map[string]any{"places": ask3.Places[:n]})
		status, _, text := ask(t, s, http.MethodPost, "/decode", emit.JSONType, "", body)
		var got decodedAnswer
		if err := json.Unmarshal(text, &got); err != nil || status != http.StatusOK || got.Vectors == nil || len(got.Vectors) != n {
			t.Errorf("%d positions: %d, %s", n, status, text)
		}
	}
}

// Invalid positions are rejected with their row.
func TestDecodeProblems(t *testing.T) {
	s := served(t, model(t), Limits{Body: 2000, Rows: 5, Memory: 200})
	for _, c := range []struct {
		body, path string
		status     int
		want       string
	}{
		{`{"places": [[0, 0], [1]]}`, "/decode", 400, `"row":2`},
		{`{"places": [[0, null]]}`, "/decode", 400, "null"},
		{`{"places": [[0, "x"]]}`, "/decode", 400, "no list of numbers"},
		{`{"places": [[0, 1e300]]}`, "/decode", 400, "no list of numbers"},
		{`{"places": [0]}`, "/decode", 400, "no list of numbers"},
		{`{"places": 7}`, "/decode", 400, "no array"},
		{`{"places": [[0, 0]], "ids": [1]}`, "/decode", 400, "other fields"},
		{`{"places": [[0, 0]]} x`, "/decode", 400, "something follows"},
		{`{"vectors": []}`, "/decode", 400, "places"},
		{`[]`, "/decode", 400, "no JSON object"},
		{``, "/decode", 400, "no JSON object"},
		{`{"places": [[0, 0]]}`, "/decode?neighbors=3", 400, "neither neighbours"},
		{`{"places": [[0, 0],[0, 0],[0, 0],[0, 0],[0, 0],[0, 0]]}`, "/decode", 413, "more than 5 rows"},
		{`{"places": [[0, 0],[0, 0],[0, 0],[0, 0]]}`, "/decode", 413, "fewer positions"},
	} {
		status, header, text := ask(t, s, http.MethodPost, c.path, emit.JSONType, "", []byte(c.body))
		if status != c.status || !strings.Contains(string(text), c.want) || !strings.Contains(header.Get("Content-Type"), "problem+json") {
			t.Errorf("%s %s: %d, %s", c.path, c.body, status, text)
		}
	}
	if status, _, text := ask(t, s, http.MethodPost, "/decode", stream.ContentType, "", encoded(t, sample(t, 1, 2))); status != 400 || !strings.Contains(string(text), "embedding") {
		t.Errorf("rows without places: %d, %s", status, text)
	}
}
