package stage

import (
	"maps"
	"testing"

	"unfold/models/clusters/identity"
)

// Changes of clusters are recorded by version; earlier records stay unchanged.
func TestChangedClusters(t *testing.T) {
	before := changes{}.with([]identity.Event{{Kind: identity.Born, ID: 1}, {Kind: identity.Died, ID: 9}}, 4)
	got := before.with([]identity.Event{
		{Kind: identity.Split, ID: 7, Other: 1}, {Kind: identity.Merged, ID: 2, Other: 1}, {Kind: identity.Died, ID: 3}, {Kind: identity.Shrank, ID: 4}, {Kind: identity.Grew, ID: 5},
	}, 8)
	if want := map[string]uint64{"9": 4, "2": 8, "3": 8, "4": 8, noise: 8}; !maps.Equal(got.gave, want) {
		t.Errorf("clusters have lost points by %v, want %v", got.gave, want)
	}
	if want := map[string]uint64{"1": 4, "7": 8}; !maps.Equal(got.came, want) {
		t.Errorf("clusters are new by %v, want %v", got.came, want)
	}
	if !maps.Equal(before.gave, map[string]uint64{"9": 4}) || !maps.Equal(before.came, map[string]uint64{"1": 4}) {
		t.Errorf("what was known before is %v now", before)
	}
}
