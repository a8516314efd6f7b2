package online

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"unfold/ingest"
	"unfold/internal/wholefile"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
)

// A saved reference set is
//
//	8 bytes   "UNFREF01"
//	4 bytes   length h of the header, little endian
//	h bytes   header, JSON (setHeader)
//	4 n dim   the rows, float32 little endian
//	4 bytes   CRC-32C of everything before
//
// It is this program's own memory, not an exchange format: a newer version may
// refuse it, and all that is lost then is what the map itself does not hold.
const setMagic = "UNFREF01"

// maxHeader bounds the header of a saved set.
const maxHeader = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// setHeader describes a saved set.
type setHeader struct {
	Dim  int    `json:"dim"`
	Rows int    `json:"rows"`
	Seen uint64 `json:"seen"`
	// Mapping is how the rows were encoded, without what passes through.
	Mapping   ingest.Mapping      `json:"mapping"`
	Positions []snapshot.Position `json:"positions"`
}

// set is a reference set as it is saved.
type set struct {
	setHeader
	rows vec.Matrix[float32]
}

// writeSet writes a set under a temporary name, flushes and renames it.
func writeSet(path string, s *set) error {
	if err := wholefile.Write(path, s.write); err != nil {
		return fmt.Errorf("online: saving the reference set: %w", err)
	}
	return nil
}

func (s *set) write(out io.Writer) error {
	sum := crc32.New(castagnoli)
	w := io.MultiWriter(out, sum)
	header, err := json.Marshal(s.setHeader)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32([]byte(setMagic), uint32(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return err
	}
	buf := make([]byte, 0, 4*s.rows.Cols)
	for i := range s.rows.Rows {
		buf = buf[:0]
		for _, v := range s.rows.Row(i) {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	_, err = out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// readSet reads a set. It fails with an error that matches models.ErrBadInput if
// the file is damaged, and fs.ErrNotExist if there is none.
func readSet(path string) (*set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("online: %w", err)
	}
	s, err := parseSet(data)
	if err != nil {
		return nil, models.BadInputf("online: the reference set %s is damaged: %w", path, err)
	}
	return s, nil
}

func parseSet(data []byte) (*set, error) {
	const fixed = len(setMagic) + 4
	if len(data) < fixed+4 || !bytes.HasPrefix(data, []byte(setMagic)) {
		return nil, fmt.Errorf("it does not begin with %s", setMagic)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("its checksum is wrong, or it is cut off")
	}
	h := int64(binary.LittleEndian.Uint32(body[len(setMagic):]))
	if h > maxHeader || int64(fixed)+h > int64(len(body)) {
		return nil, fmt.Errorf("a header of %d bytes in a file of %d", h, len(data))
	}
	s := &set{}
	if err := json.Unmarshal(body[fixed:fixed+int(h)], &s.setHeader); err != nil {
		return nil, err
	}
	raw := body[fixed+int(h):]
	if s.Dim <= 0 || s.Rows < 0 || len(raw)%4 != 0 || len(raw)/4%s.Dim != 0 || len(raw)/4/s.Dim != s.Rows {
		return nil, fmt.Errorf("%d bytes for %d rows of %d elements", len(raw), s.Rows, s.Dim)
	}
	s.rows = vec.New[float32](s.Rows, s.Dim)
	for i := range s.rows.Data {
		v := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("row %d is not finite", i/s.Dim)
		}
		s.rows.Data[i] = v
	}
	return s, nil
}
