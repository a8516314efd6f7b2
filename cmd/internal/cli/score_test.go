package cli

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// score --json writes one line, docs/reference/json.md documents every key, and sampled figures
// have standard errors.
func TestScoreJSON(t *testing.T) {
	formats := page(t, filepath.Join(repository, "docs", "reference", "json.md"))
	_, section, _ := strings.Cut(formats, "\n## What score --json writes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, key := range jsonKeys(reflect.TypeFor[scoreReport]()) {
		if !strings.Contains(section, "`"+key+"`") {
			t.Errorf("docs/reference/json.md does not explain the key %q", key)
		}
	}
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "-o", "small.unfold", "--map", "map.npy", "--columns", "x,y,z", "--steps", "20")
	of := func(flags ...string) *structurePart {
		out := must(t, append([]string{"-q", "score", "--json", "map.npy", "--data", "small.csv", "--columns", "x,y,z", "--beside", "small.csv", "--label", "name", "-k", "1"}, flags...)...)
		if strings.Count(out, "\n") != 1 {
			t.Errorf("more than one line: %s", out)
		}
		var r scoreReport
		decode(t, out, &r)
		if r.Data == nil || r.Data.Centroids == nil || len(r.Data.RecallAt) != 3 || !slices.Equal(r.Data.RecallK, []int{10, 30, 100}) {
			t.Fatalf("%v: %s", flags, out)
		}
		return r.Data
	}
	all := of()
	if !all.Exact || !all.PairsExact || all.Pairs != 200*199/2 || all.TripletCount != 200*199*198/2 || all.Error != nil {
		t.Errorf("of all points: %+v", all)
	}
	some := of("--sample", "80", "--seed", "5")
	if e := some.Error; some.Exact || !some.PairsExact || some.Sample != 80 || some.Seed != 5 || e == nil ||
		e.RNX == 0 || e.Triplets == 0 || len(e.RecallAt) != 3 || e.RecallAt[2] == 0 || e.Shepard != 0 || *e.Centroids != 0 || some.Shepard != all.Shepard {
		t.Errorf("of 80 points: %+v, errors %+v", some, some.Error)
	}
	pairs := of("--pairs", "900", "--seed", "5")
	if e := pairs.Error; !pairs.Exact || pairs.PairsExact || pairs.Pairs != 900 || pairs.Seed != 5 || e == nil ||
		e.RNX != 0 || e.Shepard == 0 || e.Pearson == 0 || pairs.RNX != all.RNX {
		t.Errorf("of 900 pairs: %+v, errors %+v", pairs, pairs.Error)
	}
}
