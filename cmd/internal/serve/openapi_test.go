package serve

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"unfold/ingest/emit"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
)

//go:embed testdata/schemathesis.py
var schemathesis string

// The OpenAPI file is accurate. schemathesis sends valid and invalid requests; every response has a
// documented status, type and form.
func TestOpenAPI(t *testing.T) {
	tier.Full(t, "it runs schemathesis")
	s := served(t, model(t), Limits{Time: time.Minute})
	out := string(foreign.Run(t, schemathesis, s.URL+"/openapi.json", t.TempDir()))
	// The first tested path is the description itself.
	if !strings.Contains(out, "Tested: 3\n") || !strings.Contains(out, "Examples (") || !strings.Contains(out, "No issues found") {
		t.Errorf("not all was tested:\n%s", out)
	}
}

// The file describes exactly the existing paths.
func TestOpenAPIPaths(t *testing.T) {
	var d struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(openAPI, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Paths) != len(Paths) {
		t.Errorf("%d paths are described, there are %d", len(d.Paths), len(Paths))
	}
	s := served(t, model(t), Limits{})
	for _, path := range Paths {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH"} {
			status, header, _ := ask(t, s, method, path, emit.JSONType, "", []byte(map[bool]string{true: `{"places": []}`, false: `{"vectors": []}`}[path == "/decode"]))
			_, described := d.Paths[path][strings.ToLower(method)]
			if described != (status == 200) || !described && (status != 405 || header.Get("Allow") == "") {
				t.Errorf("%s %s is described: %v; status %d", method, path, described, status)
			}
		}
	}
}
