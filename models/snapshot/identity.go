package snapshot

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// mapIDSize is the number of bytes of a map id, which is written in hexadecimal.
const mapIDSize = 16

// NewMapID returns a new map id for a stream: 128 random bits, so that no two maps have the same
// id.
func NewMapID() string {
	var id [mapIDSize]byte
	rand.Read(id[:]) // rand.Read never returns an error
	return hex.EncodeToString(id[:])
}

// ContentID returns the map id for a map that is learnt from files: the first 128 bits of the
// SHA-256 of the file that Write makes of s without an id. So fits with identical bytes have the
// same id, and others have different ones. The errors are those of Write.
func (s *Snapshot) ContentID() (string, error) {
	bare := *s
	bare.MapID = ""
	h := sha256.New()
	if err := Write(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:mapIDSize]), nil
}

// CheckMapID validates an id that is not empty.
func CheckMapID(id string) error {
	if len(id) != 2*mapIDSize || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("the map's id %q is not %d hexadecimal digits", id, 2*mapIDSize)
	}
	return nil
}
