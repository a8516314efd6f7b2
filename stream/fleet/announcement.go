package fleet

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/store"
)

// Announcement names the newest map of a fleet, or, with version 0, of a learner
// that has none yet.
type Announcement struct {
	// Format counts the versions of this record. What a later one adds is skipped.
	Format int `json:"format"`
	// Name is the fleet's, and the message's key.
	Name string `json:"name"`
	// Generation distinguishes the fleet's learners: each has a higher one than those
	// before it. Learner says which process it is, for people.
	Generation uint64 `json:"generation"`
	Learner    string `json:"learner,omitempty"`
	// MapID, Version and Epoch are the map's; a map from before there were ids has none. Key, Bytes and SHA256 are those of the object
	// in the store.
	MapID   string `json:"map_id,omitempty"`
	Version uint64 `json:"version"`
	Epoch   uint32 `json:"epoch,omitempty"`
	Key     string `json:"key,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	// Kind is the model's, Dim the events' dimension, Dims the map's, Points the number
	// of reference points.
	Kind   string `json:"kind,omitempty"`
	Dim    int    `json:"dim,omitempty"`
	Dims   int    `json:"dims,omitempty"`
	Points int    `json:"points,omitempty"`
	// At is when it was announced.
	At time.Time `json:"at"`
}

// Format is the newest version of the record.
const Format = 1

// Of is the announcement of a snapshot that is stored as o.
func Of(s *snapshot.Snapshot, o store.Object) Announcement {
	return Announcement{MapID: s.MapID, Version: s.Version, Epoch: s.Epoch, Key: o.Key, Bytes: o.Bytes, SHA256: o.SHA256,
		Kind: s.Kind, Dim: s.Dim, Dims: s.Mu.Cols, Points: s.Reference.Rows}
}

// Map reports whether it names a map.
func (a Announcement) Map() bool { return a.Version > 0 }

// Object is where the snapshot is.
func (a Announcement) Object() store.Object {
	return store.Object{Key: a.Key, Version: a.Version, Bytes: a.Bytes, SHA256: a.SHA256}
}

// same reports whether both name the same object.
func (a Announcement) same(b Announcement) bool {
	return a.Version == b.Version && a.SHA256 == b.SHA256 && a.Key == b.Key
}

// Message is the announcement as a message.
func (a Announcement) Message() (stream.Message, error) {
	value, err := json.Marshal(a)
	return stream.Message{Key: []byte(a.Name), Value: value, Time: a.At,
		Headers: []stream.Header{{Key: stream.HeaderContentType, Value: []byte("application/json")}}}, err
}

// mostBytes bounds what an announcement may say of a snapshot's size.
const mostBytes = 1 << 40

// Parse reads an announcement. The error says what of it cannot be.
func Parse(m stream.Message) (a Announcement, err error) {
	if err := json.Unmarshal(m.Value, &a); err != nil {
		return a, fmt.Errorf("fleet: %s is no announcement: %w", m.Where(), err)
	}
	if err := a.check(string(m.Key)); err != nil {
		return a, fmt.Errorf("fleet: %s: %w", m.Where(), err)
	}
	return a, nil
}

func (a Announcement) check(key string) error {
	sum, err := hex.DecodeString(a.SHA256)
	switch {
	case a.Format < 1:
		return errors.New("it has no format")
	case a.Format > Format:
		return fmt.Errorf("it has format %d, this program knows up to %d: it is too old", a.Format, Format)
	case a.Name != key:
		return fmt.Errorf("it is of %q under the key %q", a.Name, key)
	case a.Generation == 0:
		return errors.New("it has no generation")
	case a.Version == 0:
		return nil
	case a.Key == "" || err != nil || len(sum) != 32 || a.Bytes < 1 || a.Bytes > mostBytes:
		return fmt.Errorf("it names no object: key %q, %d bytes, checksum %q", a.Key, a.Bytes, a.SHA256)
	case a.MapID != "" && snapshot.CheckMapID(a.MapID) != nil:
		return snapshot.CheckMapID(a.MapID)
	case a.Epoch < 1 || a.Dim < 1 || a.Dims < 1 || a.Points < 1:
		return fmt.Errorf("epoch %d, %d points of %d values in %d dimensions describe no map", a.Epoch, a.Points, a.Dim, a.Dims)
	}
	return nil
}

// String says what it names.
func (a Announcement) String() string {
	if !a.Map() {
		return fmt.Sprintf("no map yet (learner %d, %s)", a.Generation, a.Learner)
	}
	return (&stream.Published{MapID: a.MapID, Version: a.Version}).String()
}
