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

// Announcement is the record that names a fleet's newest map. Version 0 stands for a learner that
// has no map yet.
type Announcement struct {
	// Format is the version of this record. Fields that a later version adds are ignored.
	Format int `json:"format"`
	// Name is the fleet's name and also the message's key.
	Name string `json:"name"`
	// Generation distinguishes the fleet's learners: each one has a higher generation than all
	// before. Learner is the process's name, for people.
	Generation uint64 `json:"generation"`
	Learner    string `json:"learner,omitempty"`
	// MapID, Version and Epoch identify the map; maps from before there were ids have an empty
	// MapID. Key, Bytes and SHA256 are those of the object in the store.
	MapID   string `json:"map_id,omitempty"`
	Version uint64 `json:"version"`
	Epoch   uint32 `json:"epoch,omitempty"`
	Key     string `json:"key,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	// Kind is the model's kind, Dim the dimension of the events, Dims that of the map, Points the
	// number of reference points.
	Kind   string `json:"kind,omitempty"`
	Dim    int    `json:"dim,omitempty"`
	Dims   int    `json:"dims,omitempty"`
	Points int    `json:"points,omitempty"`
	// At is when it was announced.
	At time.Time `json:"at"`
}

// Format is the newest version of the record.
const Format = 1

// Of returns the announcement of the snapshot stored as o.
func Of(s *snapshot.Snapshot, o store.Object) Announcement {
	return Announcement{MapID: s.MapID, Version: s.Version, Epoch: s.Epoch, Key: o.Key, Bytes: o.Bytes, SHA256: o.SHA256,
		Kind: s.Kind, Dim: s.Dim, Dims: s.Mu.Cols, Points: s.Reference.Rows}
}

// Map reports whether it names a map.
func (a Announcement) Map() bool { return a.Version > 0 }

// Object is the key of the snapshot in the store.
func (a Announcement) Object() store.Object {
	return store.Object{Key: a.Key, Version: a.Version, Bytes: a.Bytes, SHA256: a.SHA256}
}

// same reports whether both announcements name the same object.
func (a Announcement) same(b Announcement) bool {
	return a.Version == b.Version && a.SHA256 == b.SHA256 && a.Key == b.Key
}

// Message is the announcement as a message.
func (a Announcement) Message() (stream.Message, error) {
	value, err := json.Marshal(a)
	return stream.Message{Key: []byte(a.Name), Value: value, Time: a.At,
		Headers: []stream.Header{{Key: stream.HeaderContentType, Value: []byte("application/json")}}}, err
}

// mostBytes is the largest snapshot size that an announcement may give.
const mostBytes = 1 << 40

// Parse decodes and checks an announcement. The error names the field that is invalid.
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

// String describes the announcement in one line.
func (a Announcement) String() string {
	if !a.Map() {
		return fmt.Sprintf("no map yet (learner %d, %s)", a.Generation, a.Learner)
	}
	return (&stream.Published{MapID: a.MapID, Version: a.Version}).String()
}
