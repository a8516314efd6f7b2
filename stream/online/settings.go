package online

import (
	"errors"
	"fmt"
	"time"

	"unfold/ingest"
	"unfold/models/kinds"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/stream"
)

// Policy says which events stay in the bounded reference set.
type Policy int

const (
	// Reservoir keeps a uniform random sample of all events so far: each has the
	// same chance to be in the set, however old it is.
	Reservoir Policy = iota
	// Window keeps the newest events.
	Window
)

var policies = []string{Reservoir: "reservoir", Window: "window"}

// String is the policy's name in configurations.
func (p Policy) String() string {
	if p < 0 || int(p) >= len(policies) {
		return fmt.Sprintf("Policy(%d)", int(p))
	}
	return policies[p]
}

// ParsePolicy is the inverse of String; the empty name is the default policy.
func ParsePolicy(name string) (Policy, error) {
	for p, n := range policies {
		if name == n || name == "" {
			return Policy(p), nil
		}
	}
	return 0, fmt.Errorf("unknown policy %q for the reference set: want reservoir or window", name)
}

// Never is the Settings.RefreshEvery that keeps the first map for ever.
const Never time.Duration = -1

// Settings of a Learner. The zero value works, for messages with one vector
// column.
type Settings struct {
	// Spec is the model.
	Spec kinds.Spec
	// Place says how events are placed.
	Place lvm.PlaceSettings
	// Mapping says which columns become vectors, and which pass through.
	Mapping ingest.Mapping
	// Limits bound what a message may ask for.
	Limits ingest.Limits

	// Min is how many events the first map is learnt from; they wait until
	// there are so many. Default 2000.
	Min int
	// Size bounds the reference set. Default 50000.
	Size int
	// Policy chooses which events stay. Default Reservoir.
	Policy Policy
	// RefreshEvery is the least time between the beginnings of two refreshes.
	// Default 10s. Never: the first map stays.
	RefreshEvery time.Duration
	// RefreshNew is the share of new events, of the reference set as it is, that
	// is worth a refresh; at least one event. Default 0.01.
	RefreshNew float64
	// Seed chooses the reservoir's sample. The model has a seed of its own.
	Seed uint64

	// State is a directory for the map and the reference set, from which a
	// restart goes on. Empty: nothing is kept; then versions begin at 1 again
	// after a restart.
	State string
	// Start is a map to begin with, if State holds none. It must carry the
	// encoder that its vectors were made by.
	Start *snapshot.Snapshot

	// Hooks.Published and Hooks.RefreshFailed are called.
	Hooks stream.Hooks
}

// withDefaults fills zero fields and checks the others.
func (s Settings) withDefaults() (Settings, error) {
	if s.Min == 0 {
		s.Min = 2000
	}
	if s.Size == 0 {
		s.Size = max(50000, s.Min)
	}
	if s.RefreshEvery == 0 {
		s.RefreshEvery = 10 * time.Second
	}
	if s.RefreshNew == 0 {
		s.RefreshNew = 0.01
	}
	// An empty list is none, so that what is saved compares equal.
	if len(s.Mapping.Columns) == 0 {
		s.Mapping.Columns = nil
	}
	if len(s.Mapping.Keep) == 0 {
		s.Mapping.Keep = nil
	}
	switch {
	case s.Min < 2:
		return s, fmt.Errorf("online: a map of %d events: want at least 2", s.Min)
	case s.Size < s.Min:
		return s, fmt.Errorf("online: the reference set holds %d events, fewer than the %d that the first map needs", s.Size, s.Min)
	case s.Policy < 0 || int(s.Policy) >= len(policies):
		return s, fmt.Errorf("online: unknown policy %v", s.Policy)
	case s.RefreshEvery < 0 && s.RefreshEvery != Never:
		return s, errors.New("online: the time between refreshes is negative")
	case !(s.RefreshNew > 0 && s.RefreshNew <= 1):
		return s, fmt.Errorf("online: a refresh at a share of %v new events: want a share in 0..1", s.RefreshNew)
	}
	if err := ingest.CheckKept(s.Mapping.ID, append([]string{s.Mapping.Label}, s.Mapping.Keep...)); err != nil {
		return s, err
	}
	return s, nil
}
