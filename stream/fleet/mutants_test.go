package fleet_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"unfold/internal/testkit/mutate"
	"unfold/internal/testkit/tier"
	"unfold/stream"
	"unfold/stream/fleet"
)

// Changed announcements are refused, or describe a map that could be: one that is written and read again as the same.
func TestMutantsOfAnnouncements(t *testing.T) {
	each := 200
	if tier.All() {
		each = 3000
	}
	a := fleet.Announcement{
		Format: fleet.Format, Name: "m", Generation: 3, Learner: "host-1", MapID: "0123456789abcdef0123456789abcdef", Version: 7, Epoch: 2, Key: "m/7.unfold", Bytes: 1234,
		SHA256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Kind: "lvm", Dim: 5, Dims: 2, Points: 100, At: time.Unix(1, 0).UTC(),
	}
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fleet.Parse(stream.Message{Key: []byte("m"), Value: raw}); err != nil || got != a {
		t.Fatalf("as it is: %+v, %v", got, err)
	}
	r, refused := rand.New(rand.NewPCG(46, 11)), 0
	for i := range each {
		value := mutate.JSON(r, raw)
		got, err := fleet.Parse(stream.Message{Key: []byte("m"), Value: value})
		if err != nil {
			refused++
			continue
		}
		if got.Map() && (got.Key == "" || got.Bytes < 1 || got.Epoch < 1 || got.Dim < 1 || got.Dims < 1 || got.Points < 1) {
			t.Errorf("mutant %d, %s, describes no map", i, value)
		}
		m, err := got.Message()
		if err != nil {
			t.Errorf("mutant %d, %s, cannot be written again: %v", i, value, err)
			continue
		}
		if again, err := fleet.Parse(m); err != nil || again.String() != got.String() {
			t.Errorf("mutant %d, %s, is read again as %v: %v", i, value, again, err)
		}
	}
	t.Logf("%d mutants, %d of them refused", each, refused)
}
