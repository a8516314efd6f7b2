package serve

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// The explanation of an event by its id equals that of POST /place for its record. Without vectors
// the path does not exist.
func TestReasonsOfAnID(t *testing.T) {
	m := model(t)
	x := []float32{1, 2, 300, 4}
	s := httptest.NewServer(New(Settings{Current: func() (*Model, error) { return m, nil }, Vector: func(m *Model, id string) ([]float32, error) {
		switch id {
		case "a/b":
			return x, nil
		case "short":
			return x[:2], nil
		}
		return m.Vector(id)
	}}))
	t.Cleanup(s.Close)
	reasons := func(answer []byte) string {
		var got struct {
			Places []struct {
				ID                 any
				Reasons, Neighbors json.RawMessage
			}
		}
		if err := json.Unmarshal(answer, &got); err != nil || len(got.Places) != 1 {
			t.Fatalf("%s: %v", answer, err)
		}
		return string(got.Places[0].Reasons) + string(got.Places[0].Neighbors)
	}
	_, _, want := ask(t, s, "POST", "/place?reasons=2", "application/json", "", []byte(`{"v": [1, 2, 300, 4]}`))
	status, _, got := ask(t, s, "GET", "/reasons/a/b?reasons=2", "", "", nil)
	if status != 200 || reasons(got) != reasons(want) || !strings.Contains(string(got), `"id":"a/b"`) {
		t.Errorf("%d %s, want %s", status, got, want)
	}
	for _, c := range []struct {
		name, path string
		status     int
		want       string
	}{
		{"a point of the model", "/reasons/" + m.m.PointID(5), 200, `"reasons":[{`},
		{"with neighbours", "/reasons/a/b?neighbors=3", 200, `"neighbor":[`},
		{"nobody", "/reasons/nobody", 404, "is known by its vector"},
		{"of another map", "/reasons/short", 404, "is of a map of 2 values"},
		{"too many", "/reasons/a/b?reasons=101", 400, "from 0 to 100"},
		{"a typing error", "/reasons/a/b?reason=1", 400, "there is no parameter"},
	} {
		if status, _, got := ask(t, s, "GET", c.path, "", "", nil); status != c.status || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.name, status, got, c.status, c.want)
		}
	}
	if status, _, _ := ask(t, s, "POST", "/reasons/a/b", "", "", nil); status != 405 {
		t.Errorf("POST: %d", status)
	}
	if status, _, _ := ask(t, served(t, m, Limits{}), "GET", "/reasons/a/b", "", "", nil); status != 404 {
		t.Errorf("without vectors: %d", status)
	}
}
