package snapshot

import (
	"fmt"

	"unfold/sparse/distance"
)

// FormatVersion is the latest version of the file format: Read reads it and all
// before it. Write writes the oldest that can hold a snapshot, so that programs
// that know no other can read what they can understand.
const FormatVersion = 4

// laterParts are parts that came to a kind later and change what its other parts mean, by
// kind and name, with the version of the format that brought them.
var laterParts = map[[2]string]uint32{
	{"gplvm", "noise"}: 3,
}

// format is the oldest version of the format that can hold s, and the block that asks
// for it: 1 with Gaussian tails, 2 with heavy ones, 3 with what readers of these would skip
// and then misunderstand the rest, a distance other than the Euclidean one or later parts, and 4
// with a graph in the place of vectors.
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
	return version, block
}

// checkFormat refuses a block in a file of a version whose readers do not know it.
func (s *Snapshot) checkFormat(version uint32) error {
	if need, block := s.format(); version < need {
		return &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("block %q is not known to format version %d", block, version)}
	}
	return nil
}
