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

// What the OpenAPI file says holds: schemathesis asks as it allows and as it does not, and
// no answer is a failure of the server, of another status, type or form than described.
func TestOpenAPI(t *testing.T) {
	tier.Full(t, "it runs schemathesis")
	s := served(t, model(t), Limits{Time: time.Minute})
	out := string(foreign.Run(t, schemathesis, s.URL+"/openapi.json", t.TempDir()))
	// The description itself is what it begins with.
	if !strings.Contains(out, "Tested: 3\n") || !strings.Contains(out, "Examples (") || !strings.Contains(out, "No issues found") {
		t.Errorf("not all was tested:\n%s", out)
	}
}

// The file describes what there is, no more and no less.
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
