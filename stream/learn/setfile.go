package learn

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"unfold/ingest"
	"unfold/internal/regular"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/reference"
)

// The file of a saved reference set contains, with all numbers little-endian,
//
//	8 bytes      "UNFREF02"
//	4 bytes      length h of the header
//	h bytes      header, JSON (setHeader)
//	4 n dim      vectors, float32
//	4 n note     notes, float32; NaN where there is none
//	8 n          time of the newest event, int64 Unix nanoseconds
//	4 n          events counted, uint32
//	4 n          row in the map, int32; -1: none
//	             if the header says so, for each point: a byte, how many ids there
//	             are, and for each of them uint16 length and bytes
//	4 bytes      CRC-32C of everything before
//
// with points in the order of their newest event, oldest first. It is private to this program, not
// an exchange format: a newer version may reject it. Then only the data that the map itself does
// not contain are lost.
const setMagic = "UNFREF02"

// maxHeader bounds the header of a saved set.
const maxHeader = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// setHeader describes a saved set.
type setHeader struct {
	Dim  int  `json:"dim"`
	Note int  `json:"note"`
	Rows int  `json:"rows"`
	IDs  bool `json:"ids"`
	// Newest is the time of the newest event, Threshold the largest hash in a reservoir.
	Newest    int64            `json:"newest"`
	Threshold uint64           `json:"bar"`
	Counts    reference.Counts `json:"counts"`
	// Mapping is the mapping that encoded the rows, without columns that pass through. IDType is
	// the type of ids.
	Mapping ingest.Mapping `json:"mapping"`
	IDType  string         `json:"id_type,omitempty"`
	// Format is the format of the last message; empty, as in older files, stands for Arrow.
	Format format.Name `json:"format,omitempty"`
	// Labels are the names of the classes; nil if the notes contain no classes.
	Labels []string `json:"labels"`
	// Positions are the offsets after the accepted events.
	Positions []stream.Position `json:"positions"`
	// MovesEpoch is the epoch of the places in the notes.
	MovesEpoch uint32 `json:"told_epoch"`
	// History are the stats of the maps so far.
	History history `json:"history"`
}

// set is the saved form of a reference set.
type set struct {
	setHeader
	points reference.Saved
}

// write writes the set and returns its checksum.
func (s *set) write(out io.Writer) (uint32, error) {
	sum := crc32.New(castagnoli)
	w := io.MultiWriter(out, sum)
	header, err := json.Marshal(s.setHeader)
	if err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	head := le.AppendUint32([]byte(setMagic), uint32(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return 0, err
	}
	v := s.points
	putFloat := func(b []byte, f float32) []byte { return le.AppendUint32(b, math.Float32bits(f)) }
	for _, put := range []func() error{
		func() error { return column(w, v.X.Data, putFloat) },
		func() error { return column(w, v.Notes.Data, putFloat) },
		func() error {
			return column(w, v.Seen, func(b []byte, t int64) []byte { return le.AppendUint64(b, uint64(t)) })
		},
		func() error { return column(w, v.Count, le.AppendUint32) },
		func() error {
			return column(w, v.Row, func(b []byte, r int32) []byte { return le.AppendUint32(b, uint32(r)) })
		},
		func() error { return column(w, v.IDs, putIDs) },
	} {
		if err := put(); err != nil {
			return 0, err
		}
	}
	_, err = out.Write(le.AppendUint32(nil, sum.Sum32()))
	return sum.Sum32(), err
}

func putIDs(b []byte, ids []string) []byte {
	b = append(b, byte(len(ids)))
	for _, id := range ids {
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(id))), id...)
	}
	return b
}

// column writes values through a small buffer.
func column[T any](w io.Writer, values []T, put func([]byte, T) []byte) error {
	const full = 1 << 15
	buf := make([]byte, 0, full+4096)
	for i, v := range values {
		if buf = put(buf, v); len(buf) >= full || i == len(values)-1 {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	return nil
}

// readSet reads a set and verifies its checksum. If the file is damaged or a different one, the
// error matches models.ErrBadInput; if it does not exist, fs.ErrNotExist.
func readSet(path string, crc uint32) (*set, error) {
	data, err := regular.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	s, sum, err := parseSet(data)
	if err == nil && sum != crc {
		err = fmt.Errorf("its checksum is %08x, the map goes with %08x", sum, crc)
	}
	if err != nil {
		return nil, models.BadInputf("learn: the reference set %s is damaged: %w", path, err)
	}
	return s, nil
}

func parseSet(data []byte) (*set, uint32, error) {
	le := binary.LittleEndian
	const fixed = len(setMagic) + 4
	if len(data) < fixed+4 || !bytes.HasPrefix(data, []byte(setMagic)) {
		return nil, 0, fmt.Errorf("it does not begin with %s", setMagic)
	}
	body, sum := data[:len(data)-4], le.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, 0, fmt.Errorf("its checksum is wrong, or it is cut off")
	}
	h := int64(le.Uint32(body[len(setMagic):]))
	if h > maxHeader || int64(fixed)+h > int64(len(body)) {
		return nil, 0, fmt.Errorf("a header of %d bytes in a file of %d", h, len(data))
	}
	s := &set{}
	if err := json.Unmarshal(body[fixed:fixed+int(h)], &s.setHeader); err != nil {
		return nil, 0, err
	}
	raw := body[fixed+int(h):]
	n, most := s.Rows, len(raw)
	if s.Dim <= 0 || s.Note < 0 || n < 0 || n > most || s.Dim > most || s.Note > most || int64(n)*int64(4*(s.Dim+s.Note)+16) > int64(most) {
		return nil, 0, fmt.Errorf("%d bytes for %d points of %d elements and notes of %d", len(raw), n, s.Dim, s.Note)
	}
	v := &s.points
	v.X, v.Notes = vec.New[float32](n, s.Dim), vec.New[float32](n, s.Note)
	v.Seen, v.Count, v.Row = make([]int64, n), make([]uint32, n), make([]int32, n)
	v.Newest, v.Threshold, v.Counts = s.Newest, s.Threshold, s.Counts
	getFloat := func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) }
	raw = fill(raw, 4, v.X.Data, getFloat)
	raw = fill(raw, 4, v.Notes.Data, getFloat)
	raw = fill(raw, 8, v.Seen, func(b []byte) int64 { return int64(le.Uint64(b)) })
	raw = fill(raw, 4, v.Count, le.Uint32)
	raw = fill(raw, 4, v.Row, func(b []byte) int32 { return int32(le.Uint32(b)) })
	if s.IDs {
		v.IDs = make([][]string, n)
		var err error
		if raw, err = getIDs(raw, v.IDs); err != nil {
			return nil, 0, err
		}
	}
	if len(raw) > 0 {
		return nil, 0, fmt.Errorf("there are %d extra bytes at the end", len(raw))
	}
	return s, sum, nil
}

// fill decodes values of size bytes each and returns the remaining bytes.
func fill[T any](raw []byte, size int, values []T, get func([]byte) T) []byte {
	for i := range values {
		values[i] = get(raw[size*i:])
	}
	return raw[size*len(values):]
}

func getIDs(raw []byte, ids [][]string) ([]byte, error) {
	for i := range ids {
		if len(raw) < 1 {
			return nil, fmt.Errorf("ids are missing from point %d on", i)
		}
		count := int(raw[0])
		raw = raw[1:]
		for range count {
			if len(raw) < 2 || len(raw)-2 < int(binary.LittleEndian.Uint16(raw)) {
				return nil, fmt.Errorf("ids of point %d are cut off", i)
			}
			n := int(binary.LittleEndian.Uint16(raw))
			ids[i] = append(ids[i], string(raw[2:2+n]))
			raw = raw[2+n:]
		}
	}
	return raw, nil
}
