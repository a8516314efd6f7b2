package registry

import (
	"encoding/binary"
	"fmt"
)

// mostIndex is the maximum nesting depth of the messages of a schema.
const mostIndex = 64

// ParseIndex decodes the path of message indexes between a schema's id and a Protobuf message, and
// returns the rest. It is the number of indexes, and the indexes, as zigzag varints; a single 0
// means [0].
func ParseIndex(b []byte) (index []int, rest []byte, err error) {
	next := func() (int64, error) {
		v, n := binary.Varint(b)
		if n <= 0 {
			return 0, fmt.Errorf("the message's index path is cut off or no number")
		}
		b = b[n:]
		return v, nil
	}
	count, err := next()
	switch {
	case err != nil:
		return nil, nil, err
	case count == 0:
		return []int{0}, b, nil
	case count < 0 || count > mostIndex:
		return nil, nil, fmt.Errorf("the message's index path has %d parts, more than %d", count, mostIndex)
	}
	for range count {
		i, err := next()
		if err != nil {
			return nil, nil, err
		}
		if i < 0 || i > 1<<20 {
			return nil, nil, fmt.Errorf("the message's index path has the index %d", i)
		}
		index = append(index, int(i))
	}
	return index, b, nil
}

// AppendIndex writes such a path.
func AppendIndex(to []byte, index []int) []byte {
	if len(index) == 1 && index[0] == 0 {
		return append(to, 0)
	}
	to = binary.AppendVarint(to, int64(len(index)))
	for _, i := range index {
		to = binary.AppendVarint(to, int64(i))
	}
	return to
}
