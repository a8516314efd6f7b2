package reference

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Policy selects the points that stay in a full set.
type Policy int

const (
	// Reservoir keeps a uniform sample of the stream's different vectors.
	Reservoir Policy = iota
	// Window keeps the points seen last.
	Window
	// Coverage evicts points where the map is most crowded.
	Coverage
)

var policies = []string{Reservoir: "reservoir", Window: "window", Coverage: "coverage"}

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
	return 0, fmt.Errorf("unknown policy %q for the reference set: want %s", name, strings.Join(policies, ", "))
}

const (
	// DefaultSize is the bound of a set.
	DefaultSize = 50000
	// idsPerPoint is the maximum number of ids of a point; the newest are kept.
	idsPerPoint = 8
	// maxID is the maximum length of an id in bytes.
	maxID = 256
	// maxElement is the largest magnitude of a vector's elements. Squares of larger ones, and their
	// sums, would overflow, and a single such point would stop all learning.
	maxElement = 1e30
)

// Settings are the settings of a Set. The zero value works.
type Settings struct {
	// Policy chooses which points stay. Default Reservoir.
	Policy Policy
	// Size bounds the points. Default DefaultSize.
	Size int
	// MaxAge removes points whose newest event is so much older than the newest of all; 0 means
	// never.
	MaxAge time.Duration
	// Seed chooses the reservoir's sample.
	Seed uint64
	// IDs means that events have ids.
	IDs bool
}

func (s Settings) withDefaults() (Settings, error) {
	if s.Size == 0 {
		s.Size = DefaultSize
	}
	switch {
	case s.Policy < 0 || int(s.Policy) >= len(policies):
		return s, fmt.Errorf("reference: unknown policy %v", s.Policy)
	case s.Size < 2:
		return s, fmt.Errorf("reference: a set of %d points: want at least 2", s.Size)
	case s.MaxAge < 0:
		return s, errors.New("reference: the largest age is negative")
	}
	return s, nil
}

// Check returns an error for invalid settings.
func (s Settings) Check() error {
	_, err := s.withDefaults()
	return err
}

// slack returns the number of points beyond Size that may wait for eviction.
func (s Settings) slack() int {
	if s.Policy == Coverage {
		return max(1, s.Size/10)
	}
	return 0
}

// Most returns the largest possible number of points.
func (s Settings) Most() int {
	s, err := s.withDefaults()
	if err != nil {
		return 0
	}
	return s.Size + s.slack()
}

// Bytes returns the maximum memory of a set of vectors of dim elements, with note more values each
// and ids of up to idBytes bytes. This is live memory; a garbage collector may keep as much again.
func (s Settings) Bytes(dim, note, idBytes int) int64 {
	s, err := s.withDefaults()
	if err != nil {
		return 0
	}
	points := int64(s.Size + s.slack() + 1)
	// The terms are vector and note, the fixed columns, and the table of vectors: an entry of Go's
	// map takes up to 2 x 13 bytes. A slice that has just grown may be a quarter larger than
	// necessary.
	each := int64(4*(dim+note) + pointBytes)
	total := points*each*5/4 + points*mapEntry(12)
	if s.IDs {
		// These are the text, and references to it in the point and in the table of ids.
		total += points * idsPerPoint * int64((idBytes+15)/16*16+24+int(mapEntry(20)))
		total += points * 24
	}
	return total
}

// pointBytes are the fixed columns of a point: three of 8 bytes, five of 4, its positions in two
// heaps, and its entry among the free or removed ones. See Set.
const pointBytes = 3*8 + 5*4 + 2*2*4 + 2*4

// mapEntry returns an upper bound of the memory of an entry of the given size in Go's map. A map
// has groups of 8 entries with 8 control bytes, and is at least 7/16 full after growth.
func mapEntry(bytes int64) int64 { return (bytes + 1) * 16 / 7 }
