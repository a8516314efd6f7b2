package snapshot

import (
	"fmt"

	"unfold/sparse/distance"
)

// FormatVersion is the latest version of the file format. Read accepts it and all earlier versions.
// Write uses the oldest version that can represent a snapshot, so that older programs can read it
// if possible.
const FormatVersion = 5

// laterParts are parts that a kind got later and that change the meaning of its other parts, by
// kind and name. The value is the format version that introduced the part.
var laterParts = map[[2]string]uint32{
	{"gplvm", "noise"}: 3,
}

// format returns the oldest format version that can represent s, and the block that requires it. It
// is 1 with Gaussian tails and 2 with heavy ones. It is 3 with a distance other than the Euclidean
// one or with laterParts, which older readers would skip and then misinterpret the rest. It is 4
// with a graph instead of vectors, and 5 with a shift.
func (s *Snapshot) format() (version uint32, block string) {
	version = 1
	if s.Student != nil {
		version, block = 2, heavy[0].name
	}
	if s.Distance != distance.Euclidean {
		version, block = 3, distanceField.name
	}
	for _, p := range s.Parts {
		if since := laterParts[[2]string{s.Kind, p.Name}]; since > version {
			version, block = since, partPrefix+p.Name
		}
	}
	if s.Graph != nil {
		version, block = 4, graphFields[0].name
	}
	if s.Shift != nil {
		version, block = 5, shiftField.name
	}
	return version, block
}

// checkFormat returns an error if a file of the given version contains a block that readers of this
// version do not know.
func (s *Snapshot) checkFormat(version uint32) error {
	if need, block := s.format(); version < need {
		return &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("block %q is not known to format version %d", block, version)}
	}
	return nil
}
