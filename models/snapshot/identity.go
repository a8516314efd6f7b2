package snapshot

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// mapIDSize is the number of bytes of a map's id, which is written in hexadecimal.
const mapIDSize = 16

// NewMapID draws the id of a map that a stream begins: 128 random bits, so that no two
// processes ever give the same one to different maps.
func NewMapID() string {
	var id [mapIDSize]byte
	rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// ContentID is the id of a map that files are learnt into: the first 128 bits of the
// SHA-256 of the file that Write would make of s without an id. So fits that give the
// same bytes give the same id, and others another. It fails as Write does.
func (s *Snapshot) ContentID() (string, error) {
	bare := *s
	bare.MapID = ""
	h := sha256.New()
	if err := Write(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:mapIDSize]), nil
}

// CheckMapID says what is wrong with an id that is not empty.
func CheckMapID(id string) error {
	if len(id) != 2*mapIDSize || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("the map's id %q is not %d hexadecimal digits", id, 2*mapIDSize)
	}
	return nil
}
