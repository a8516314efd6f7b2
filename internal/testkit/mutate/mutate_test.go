package mutate

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// Most changed documents are still JSON, and nearly all differ from the original.
func TestJSON(t *testing.T) {
	raw := []byte(`{"a":1,"b":[1,2,{"c":"text"}],"d":{"e":null}}`)
	r := rand.New(rand.NewPCG(1, 1))
	valid, same := 0, 0
	seen := map[string]bool{}
	for range 1000 {
		out := JSON(r, raw)
		if json.Valid(out) {
			valid++
		}
		if string(out) == string(raw) {
			same++
		}
		seen[string(out)] = true
	}
	if valid < 850 || same > 60 || len(seen) < 300 {
		t.Errorf("of 1000 changed documents %d are JSON, %d are as before, and %d differ", valid, same, len(seen))
	}
}
