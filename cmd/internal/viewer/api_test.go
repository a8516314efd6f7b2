package viewer

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// All requests in the API's description are answered as documented.
func TestAPI(t *testing.T) {
	hub := view.New(view.Settings{Title: "blobs"})
	put(t, hub, blobs(4, "a", "b", "c"))
	hub.Refresh(view.MapState{ID: "m", Epoch: 1, Version: 3}, view.Base{}, nil)
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Method+" "+r.URL.Path) })
	other := view.New(view.Settings{})
	put(t, other, blobs(4, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Other: other, Place: echo, Picture: func(string) []byte { return []byte("\xff\xd8\xff") }, Maps: func() any { return []int{1} }})
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"/api/map", 200, `{"map":{"id":"m","epoch":1,"version":3},"points":12,"columns":[{"name":"class","kind":"category"},{"name":"value","kind":"number"}]}`},
		{"/api/points/p4?neighbors=2", 200, `"values":{"class":"b","value":4.5},"neighbors":[{"id":"p`},
		{"/api/points/p4?neighbors=0", 200, `"neighbors":[]`},
		{"/api/points/p99", 404, "no point of this id"},
		{"/api/points/p4?neighbors=101", 400, "not a number from 0 to 100"},
		{"/api/points/p4?neighbors=x", 400, "not a number from 0 to 100"},
		{"/api/history", 200, `{"maps":[1]}`},
		{"/api/uncertain", 200, `{"map":{"id":"m","epoch":1,"version":3},"points":[]}`},
		{"/api/uncertain?n=0", 400, "not a number from 1 to 100"},
		{"/api/uncertain?n=101", 400, "not a number from 1 to 100"},
		{"/api/clusters", 200, `{"column":"","clusters":[],"events":[]}`},
		{"/api/reasons/a/b?reasons=3", 200, "GET /reasons/a/b"},
		{"/api/nothing", 404, ""},
	} {
		if status, _, body := ask(t, url+c.path, nil); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.path, status, body, c.status, c.want)
		}
	}
	if status, _, _ := ask(t, url+"/api/map", map[string]string{"Sec-Fetch-Site": "cross-site"}); status != 403 {
		t.Errorf("a page from elsewhere: %d", status)
	}
	if status, _, _ := ask(t, url+"/api/map", map[string]string{"Origin": "http://evil.example"}); status != 403 {
		t.Errorf("a page of another origin: %d", status)
	}
	_, head, body := ask(t, url+"/api/points", nil)
	rows, err := new(arrowfmt.Decoder).Decode([]byte(body), table.Origin{})
	if err != nil || rows.Len() != 12 || !slices.Equal(rows.Names(), []string{"id", "x", "y", "at", "class", "value"}) || head.Get("Content-Type") != "application/vnd.apache.arrow.stream" {
		t.Errorf("all points: %v, %v, %v", rows, err, head)
	}
	if head.Get("unfold-map-id") != "m" || head.Get("unfold-map-epoch") != "1" || head.Get("unfold-model-version") != "3" {
		t.Errorf("all points are of the map %v", head)
	}
	if _, _, body := ask(t, url+"/api/points/p4", nil); !strings.Contains(body, `"map":{"id":"m","epoch":1,"version":3}`) {
		t.Errorf("a point is of the map %s", body)
	}
	var described struct{ Paths map[string]map[string]any }
	_, _, text := ask(t, url+"/api/openapi.json", nil)
	if err := json.Unmarshal([]byte(text), &described); err != nil || len(described.Paths) != 15 {
		t.Fatalf("%v %v", described, err)
	}
	for path, methods := range described.Paths {
		for method := range methods {
			req, err := http.NewRequestWithContext(t.Context(), strings.ToUpper(method), url+strings.NewReplacer("{id}", "p1", "{map}", "other").Replace(path), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != 200 || method == "post" && string(answer) != "POST /place" {
				t.Errorf("%s %s: %d %s", method, path, resp.StatusCode, answer)
			}
		}
	}
}
