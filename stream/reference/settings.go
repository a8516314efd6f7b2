package reference

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Policy says which points stay in a full set.
type Policy int

const (
	// Reservoir keeps a uniform sample of the stream's different vectors.
	Reservoir Policy = iota
	// Window keeps the points seen last.
	Window
	// Coverage lets points go where the map is most crowded.
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
	// idsPerPoint bounds the ids that a point remembers: the newest.
	idsPerPoint = 8
	// maxID is the length in bytes beyond which an id is not taken.
	maxID = 256
	// maxElement is the largest magnitude of a vector's elements. Squares of larger
	// ones, and sums of these, leave the range of numbers, and a single such point
	// would end all learning.
	maxElement = 1e30
)

// Settings of a Set. The zero value works.
type Settings struct {
	// Policy chooses which points stay. Default Reservoir.
	Policy Policy
	// Size bounds the points. Default DefaultSize.
	Size int
	// MaxAge removes points whose newest event is so much older than the newest
	// of all. 0: never.
	MaxAge time.Duration
	// Seed chooses the reservoir's sample.
	Seed uint64
	// IDs says that events have ids.
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

// Check says what is wrong with the settings, if anything is.
func (s Settings) Check() error {
	_, err := s.withDefaults()
	return err
}

// slack is how many points more than Size may wait to be evicted.
func (s Settings) slack() int {
	if s.Policy == Coverage {
		return max(1, s.Size/10)
	}
	return 0
}

// Most is the largest number of points that there ever are.
func (s Settings) Most() int {
	s, err := s.withDefaults()
	if err != nil {
		return 0
	}
	return s.Size + s.slack()
}

// Bytes bounds the memory of a set of vectors of dim elements, and of notes of so
// many more, with ids of up to idBytes bytes. That is what it holds; a garbage
// collector may let as much again lie around.
func (s Settings) Bytes(dim, note, idBytes int) int64 {
	s, err := s.withDefaults()
	if err != nil {
		return 0
	}
	points := int64(s.Size + s.slack() + 1)
	// Vector and note, the fixed columns, and the table of vectors: an entry of
	// Go's map takes up to 2 x 13 bytes at its emptiest. A slice that has just
	// grown may be a quarter larger than it need be.
	each := int64(4*(dim+note) + pointBytes)
	total := points*each*5/4 + points*mapEntry(12)
	if s.IDs {
		// The text, a reference to it at the point and in the table of ids.
		total += points * idsPerPoint * int64((idBytes+15)/16*16+24+int(mapEntry(20)))
		total += points * 24
	}
	return total
}

// pointBytes are the fixed columns of a point: three of 8 bytes, five of 4, its
// places in two heaps, and its entry among the free or the gone. See Set.
const pointBytes = 3*8 + 5*4 + 2*2*4 + 2*4

// mapEntry bounds what an entry of so many bytes takes in Go's map. That holds groups of 8
// entries with 8 control bytes, and is at least 7/16 full after growth.
func mapEntry(bytes int64) int64 { return (bytes + 1) * 16 / 7 }
