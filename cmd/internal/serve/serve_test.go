package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"unfold/cmd/internal/web/webtest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/embed/embedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dim = embedtest.Dim

// sample returns a table of vectors with ids and a column to keep.
func sample(t testing.TB, seed uint64, rows int) *table.Table {
	t.Helper()
	return embedtest.Sample(t, rand.New(rand.NewPCG(seed, 1)), 1000, rows)
}

// learnt returns a small model with the columns of sample.
func learnt(t testing.TB) *embed.Map {
	t.Helper()
	m, err := embed.Open(fitted(t), embed.Settings{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fitted returns the snapshot of learnt.
func fitted(t testing.TB) *snapshot.Snapshot {
	t.Helper()
	return embedtest.Fit(t, sample(t, 1, 80), 5)
}

func model(t testing.TB) *Model { return NewModel(learnt(t), "lvm", 80, nil) }

// served starts a server for a model.
func served(t testing.TB, m *Model, l Limits) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(New(Settings{Current: func() (*Model, error) {
		if m == nil {
			return nil, errors.New("there is no map yet")
		}
		return m, nil
	}, Limits: l}))
	t.Cleanup(s.Close)
	return s
}

// ask sends a request and returns the response.
func ask(t testing.TB, s *httptest.Server, method, path, contentType, accept string, body []byte) (int, http.Header, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": contentType, "Accept": accept} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := s.Client().Do(req)
	status, answer := webtest.Read(t, resp, err)
	return status, resp.Header, answer
}

func encoded(t testing.TB, records *table.Table) []byte {
	t.Helper()
	value, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// asJSON encodes the rows of sample as an array of records.
func asJSON(t testing.TB, records *table.Table) []byte {
	t.Helper()
	id, _ := records.Column("event")
	class, _ := records.Column("class")
	out := make([]map[string]any, records.Len())
	for i, v := range vectorsOf(t, records) {
		number, err := strconv.Atoi(id.Text(i))
		if err != nil {
			t.Fatal(err)
		}
		out[i] = map[string]any{"event": number, "class": class.Text(i), "v": v, "other": []string{"x"}}
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func vectorsOf(t testing.TB, records *table.Table) [][]float32 {
	t.Helper()
	c, _ := records.Column("v")
	x := make([]float32, records.Len()*dim)
	if err := table.CopyVectors(x, dim, c, table.Origin{}, false); err != nil {
		t.Fatal(err)
	}
	out := make([][]float32, records.Len())
	for i := range out {
		out[i] = x[i*dim : (i+1)*dim]
	}
	return out
}

// answered has the fields of a JSON response.
type answered struct {
	MapID   string `json:"map_id"`
	Epoch   uint32 `json:"map_epoch"`
	Version uint64 `json:"model_version"`
	Places  []struct {
		ID     any       `json:"id"`
		Class  string    `json:"class"`
		X, Y   float32   // only for two dimensions
		At     []float32 `json:"embedding"`
		Sigma  float32   `json:"sigma"`
		Local  float32   `json:"novelty_local"`
		Global float32   `json:"novelty_global"`
		Near   []int     `json:"neighbor"`
		Far    []float32 `json:"neighbor_distance"`
	} `json:"places"`
}

// Rows get the places of embed.Map.Table, in their order, for all formats of request and response.
func TestPlacesAreThoseOfTheMap(t *testing.T) {
	m := model(t)
	s := served(t, m, Limits{})
	records := sample(t, 2, 9)
	of, err := m.m.For(records.Schema(), "in")
	if err != nil {
		t.Fatal(err)
	}
	want, err := of.Table(t.Context(), records)
	if err != nil {
		t.Fatal(err)
	}
	message, err := emit.EncodeMessage(want)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := json.Marshal(map[string]any{"vectors": vectorsOf(t, records), "ids": []int{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008}})
	if err != nil {
		t.Fatal(err)
	}
	arrow := encoded(t, records)
	status, header, body := ask(t, s, "POST", "/place", stream.ContentType, "", arrow)
	if status != 200 || header.Get("Content-Type") != stream.ContentType || !bytes.Equal(body, message) {
		t.Errorf("arrow: %d %s %.200q", status, header.Get("Content-Type"), body)
	}
	wrapped := []byte(`{"records": ` + string(asJSON(t, records)) + `}`)
	for name, c := range map[string]struct {
		contentType string
		body        []byte
		class       bool
	}{
		"arrow":   {stream.ContentType, arrow, true},
		"records": {emit.JSONType, asJSON(t, records), true},
		"wrapped": {emit.JSONType + "; charset=utf-8", wrapped, true},
		"vectors": {emit.JSONType, vectors, false},
	} {
		t.Run(name, func(t *testing.T) {
			status, header, body := ask(t, s, "POST", "/place?neighbors=2", c.contentType, emit.JSONType, c.body)
			var got answered
			if err := json.Unmarshal(body, &got); status != 200 || header.Get("Content-Type") != emit.JSONType || err != nil {
				t.Fatalf("%d %s %s %v", status, header.Get("Content-Type"), body, err)
			}
			if got.MapID != want.MapID || got.Epoch != want.Epoch || got.Version != 3 || len(got.Places) != 9 {
				t.Fatalf("%s", body)
			}
			for i, p := range got.Places {
				at := want.Embedding.Row(i)
				if p.ID != float64(1000+i) || p.X != at[0] || p.Y != at[1] || p.Sigma != want.Sigma[i] || p.Local != want.NoveltyLocal[i] || p.Global != want.NoveltyGlobal[i] {
					t.Errorf("row %d: %+v", i, p)
				}
				if class, _ := records.Column("class"); c.class && p.Class != class.Text(i) {
					t.Errorf("row %d: class %q", i, p.Class)
				}
				if len(p.Near) != 2 || len(p.Far) != 2 || p.Far[0] > p.Far[1] || p.Near[0] == p.Near[1] {
					t.Errorf("row %d: neighbours %v, %v", i, p.Near, p.Far)
				}
			}
		})
	}
}

// The first neighbour of a row that equals a reference point is that point. Arrow responses have
// neighbours as lists.
func TestNeighbors(t *testing.T) {
	m := model(t)
	status, _, body := ask(t, served(t, m, Limits{}), "POST", "/place?neighbors=3", stream.ContentType, "", encoded(t, sample(t, 1, 80).Slice(5, 7)))
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	got, err := arrowfmt.DecodeMessage(body, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float32{"neighbor": {5, 6}, "neighbor_distance": {0, 0}} {
		c, there := got.Column(name)
		x := make([]float32, 6)
		if !there || table.CopyVectors(x, 3, c, table.Origin{}, false) != nil || !reflect.DeepEqual([]float32{x[0], x[3]}, want) {
			t.Errorf("%s: %v", name, x)
		}
	}
	status, _, body = ask(t, served(t, m, Limits{}), "POST", "/place?neighbors=100", emit.JSONType, "", []byte(`{"vectors": [[1, 2, 3, 4]]}`))
	var few answered
	if err := json.Unmarshal(body, &few); err != nil || status != 200 || len(few.Places[0].Near) != 80 {
		t.Errorf("of more neighbours than points: %d %.300s", status, body)
	}
}

// Explanations equal those of embed, in JSON, in Arrow and on lines. They are returned only on
// request.
func TestReasons(t *testing.T) {
	m := model(t)
	s := served(t, m, Limits{})
	const body = `{"event": 7, "v": [1, 2, 300, 4]}`
	status, _, answer := ask(t, s, "POST", "/place?reasons=2", emit.JSONType, "", []byte(body))
	var got struct {
		Places []struct {
			Reasons []struct {
				Column, Direction string
				Share, Value      float64
				Low               float64 `json:"expected_low"`
				High              float64 `json:"expected_high"`
			}
			Neighbors []struct {
				ID       string
				Distance float64
			}
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil || status != 200 || len(got.Places) != 1 {
		t.Fatalf("%d %s: %v", status, answer, err)
	}
	p := got.Places[0]
	if len(p.Reasons) == 0 || len(p.Reasons) > 2 || len(p.Neighbors) == 0 {
		t.Fatalf("%s", answer)
	}
	if r := p.Reasons[0]; r.Column != "v[2]" || r.Direction != "above" || r.Share < 0.9 || r.Value != 300 || r.Low > r.High || r.High > 30 {
		t.Errorf("%s", answer)
	}
	if _, _, plain := ask(t, s, "POST", "/place", emit.JSONType, "", []byte(body)); strings.Contains(string(plain), "reasons") {
		t.Errorf("nobody asked: %s", plain)
	}
	_, _, arrow := ask(t, s, "POST", "/place?reasons=2&neighbors=1", emit.JSONType, stream.ContentType, []byte(body))
	back, err := arrowfmt.DecodeMessage(arrow, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{emit.ReasonsName, emit.NeighborsName, "neighbor"} {
		if c, there := back.Column(name); !there || c.IsNull(0) {
			t.Errorf("Arrow lacks %s: %s", name, back.Schema())
		}
	}
	var out strings.Builder
	x := Exchange{Current: func() (*Model, error) { return m, nil }, Placer: &Placer{}, Options: Options{Explain: embed.Explain{Columns: 2}}}
	if err := x.Lines(t.Context(), strings.NewReader(body+"\n"), &out); err != nil || !strings.Contains(out.String(), `"reasons":[{"column":"v[2]"`) {
		t.Errorf("%v: %s", err, out.String())
	}
	long := []byte(`{"vectors": [` + strings.Repeat("[1,2,3,4],", 999) + `[1,2,3,4]]}`)
	small := served(t, m, Limits{Memory: 1 << 20, Reasons: 50})
	for path, want := range map[string]int{"/place?reasons=4": 200, "/place?reasons=5": 413, "/place?reasons=51": 400, "/place?reasons=x": 400} {
		if status, _, answer := ask(t, small, "POST", path, emit.JSONType, "", long); status != want {
			t.Errorf("%s: %d %.200s, want %d", path, status, answer, want)
		}
	}
}

// A column is read with its pinned type.
func TestPinnedColumns(t *testing.T) {
	s := served(t, NewModel(learnt(t), "lvm", 80, map[string]record.Type{"event": record.Text}), Limits{})
	for _, body := range []string{`{"event": 7, "v": [1, 2, 3, 4]}`, `{"vectors": [[1, 2, 3, 4]], "ids": [7]}`} {
		if status, _, answer := ask(t, s, "POST", "/place", emit.JSONType, "", []byte(body)); status != 200 || !strings.Contains(string(answer), `[{"id":"7",`) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}

// A model without an encoder uses the only list of numbers as the vector.
func TestModelWithoutColumns(t *testing.T) {
	s := fitted(t)
	s.Encoder = nil
	m, err := embed.Open(s, embed.Settings{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	server := served(t, NewModel(m, "lvm", 80, nil), Limits{})
	for body, want := range map[string]int{
		`{"vectors": [[1, 2, 3, 4]], "ids": ["a"]}`: 200, `{"any": [1, 2, 3, 4], "other": "text"}`: 200,
		`{"one": [1, 2, 3, 4], "two": [1, 2, 3, 4]}`: 422, `{"vectors": [[1, 2, 3]]}`: 422, `{"vectors": []}`: 200, `[]`: 422,
	} {
		if status, _, answer := ask(t, server, "POST", "/place", emit.JSONType, "", []byte(body)); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, answer, want)
		}
	}
}

// A failed request gets a problem with its status, and names row and column.
func TestProblems(t *testing.T) {
	m := model(t)
	small := Limits{Body: 20_000, Rows: 50, Neighbors: 5}
	good := []byte(`{"vectors": [[1, 2, 3, 4]]}`)
	for name, c := range map[string]struct {
		method, path, contentType, accept string
		body                              string
		status                            int
		want                              string
		row                               int64
		column                            string
	}{
		"method":          {method: "GET", status: 405, want: "takes POST"},
		"no type":         {body: "{}", status: 415, want: `Content-Type is ""`},
		"other type":      {contentType: "text/plain", body: "{}", status: 415, want: "application/json or"},
		"other charset":   {contentType: emit.JSONType + "; charset=latin1", body: "{}", status: 415},
		"accept":          {contentType: emit.JSONType, accept: "text/html", body: string(good), status: 406, want: "text/html"},
		"refused":         {contentType: emit.JSONType, accept: "application/*;q=0", body: string(good), status: 406},
		"parameter":       {path: "?neighbours=2", contentType: emit.JSONType, body: string(good), status: 400, want: "neighbors=N"},
		"many neighbours": {path: "?neighbors=6", contentType: emit.JSONType, body: string(good), status: 400, want: "0 to 5"},
		"negative":        {path: "?neighbors=-1", contentType: emit.JSONType, body: string(good), status: 400},
		"query":           {path: "?neighbors=%zz", contentType: emit.JSONType, body: string(good), status: 400},
		"empty":           {contentType: emit.JSONType, status: 400, want: "the body is empty"},
		"no JSON":         {contentType: emit.JSONType, body: "{", status: 400},
		"cut":             {contentType: emit.JSONType, body: `{"vectors": [[1, 2`, status: 400, want: "no JSON"},
		"behind":          {contentType: emit.JSONType, body: string(good) + "1", status: 400, want: "something follows"},
		"no arrow":        {contentType: stream.ContentType, body: "hello", status: 400, want: "Arrow"},
		"short":           {contentType: emit.JSONType, body: `{"vectors": [[1, 2, 3, 4], [1, 2]]}`, status: 422, want: "2 elements, 4 are expected", row: 2, column: "v"},
		"null":            {contentType: emit.JSONType, body: `{"vectors": [[1, 2, 3, null]]}`, status: 422, row: 1, column: "v"},
		"text":            {contentType: emit.JSONType, body: `{"vectors": [[1, 2, 3, "x"]]}`, status: 400, row: 1},
		"no list":         {contentType: emit.JSONType, body: `{"vectors": [1]}`, status: 400, want: "no list", row: 1, column: "vectors"},
		"no array":        {contentType: emit.JSONType, body: `{"vectors": 1}`, status: 400, want: "no array", column: "vectors"},
		"twice":           {contentType: emit.JSONType, body: `{"vectors": [], "vectors": []}`, status: 400, want: "twice"},
		"beside":          {contentType: emit.JSONType, body: `{"vectors": [], "other": []}`, status: 400, want: "alone"},
		"ids":             {contentType: emit.JSONType, body: `{"vectors": [[1, 2, 3, 4]], "ids": []}`, status: 400, want: "0 ids for 1 vectors"},
		"odd id":          {contentType: emit.JSONType, body: `{"ids": [true], "vectors": [[1, 2, 3, 4]]}`, status: 400, row: 1, column: "ids"},
		"large":           {contentType: emit.JSONType, body: strings.Repeat(" ", 20_001), status: 413, want: "more than 20000 bytes"},
		"rows":            {contentType: emit.JSONType, body: `{"vectors": [` + strings.Repeat("[1,2,3,4],", 50) + `[1,2,3,4]]}`, status: 413, want: "more than 50"},
		"records":         {contentType: emit.JSONType, body: `[` + strings.Repeat(`{"v":[1,2,3,4]},`, 50) + `{"v":[1,2,3,4]}]`, status: 413, want: "more than 50"},
		"deleted":         {contentType: emit.JSONType, body: `{"before": {"event": 1}, "after": null, "op": "d"}`, status: 422, want: "deleted"},
		"column":          {contentType: emit.JSONType, body: `[{"event": 1, "w": [1, 2, 3, 4]}]`, status: 422, row: 1, column: "v"},
		"null id":         {contentType: emit.JSONType, body: `{"vectors": [[1, 2, 3, 4]], "ids": [null]}`, status: 400, row: 1, column: "ids"},
		"beside records":  {contentType: emit.JSONType, body: `{"records": [], "more": 1}`, status: 400, want: "other fields"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.method == "" {
				c.method = "POST"
			}
			status, header, body := ask(t, served(t, m, small), c.method, "/place"+c.path, c.contentType, c.accept, []byte(c.body))
			var p Problem
			if err := json.Unmarshal(body, &p); err != nil || header.Get("Content-Type") != problemType {
				t.Fatalf("%d %s %q: %v", status, header.Get("Content-Type"), body, err)
			}
			if status != c.status || p.Status != status || p.Title != http.StatusText(status) || !strings.Contains(p.Detail, c.want) || p.Row != c.row || c.column != "" && p.Column != c.column {
				t.Errorf("%d %s, want %d %q, row %d, column %q", status, body, c.status, c.want, c.row, c.column)
			}
			if strings.HasPrefix(p.Detail, "input") {
				t.Errorf("the detail names no source: %s", p.Detail)
			}
		})
	}
	status, header, body := ask(t, served(t, nil, Limits{}), "POST", "/place", emit.JSONType, "", good)
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(string(body), "no map yet") {
		t.Errorf("without a map: %d %v %s", status, header, body)
	}
}
