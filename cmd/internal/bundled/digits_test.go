package bundled

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// CutDigits copies the first n items of an IDX file of unsigned bytes: images
// (magic 0x803) or labels (0x801).
func CutDigits(w io.Writer, original io.Reader, n int) error {
	var magic [4]byte
	if _, err := io.ReadFull(original, magic[:]); err != nil {
		return fmt.Errorf("IDX magic: %w", err)
	}
	if magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] < 1 || magic[3] > 3 {
		return fmt.Errorf("not an IDX file of unsigned bytes: it starts with % x", magic)
	}
	shape := make([]uint32, magic[3])
	if err := binary.Read(original, binary.BigEndian, shape); err != nil {
		return fmt.Errorf("IDX shape: %w", err)
	}
	if int(shape[0]) < n {
		return fmt.Errorf("the file holds %d items, %d were asked for", shape[0], n)
	}
	size := int64(n)
	for _, s := range shape[1:] {
		size *= int64(s)
	}
	shape[0] = uint32(n)
	if _, err := w.Write(magic[:]); err != nil {
		return err
	}
	if err := binary.Write(w, binary.BigEndian, shape); err != nil {
		return err
	}
	if _, err := io.CopyN(w, original, size); errors.Is(err, io.EOF) {
		return fmt.Errorf("the file ends before item %d: %w", n, io.ErrUnexpectedEOF)
	} else if err != nil {
		return err
	}
	return nil
}
