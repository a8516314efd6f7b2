// Package journal keeps records of work in a file, so that a later process can go on with it.
//
// A journal has records of any length, one after the other. Each has a length and a checksum, so a
// process that was killed within a write leaves at most one incomplete record, at the end. Open
// removes it. The package does not depend on what records contain.
package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// headSize is the number of bytes before a record: its length and its checksum, four bytes each, least
// significant byte first.
const headSize = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Journal is an open journal. It is not safe for concurrent use.
type Journal struct {
	file *os.File
	in   *bufio.Reader // nil after the last record
	size int64         // bytes of all records before the position of in
	end  int64         // bytes of the file when it was opened
}

// Create makes an empty journal, in place of a file of that name.
func Create(path string) (*Journal, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &Journal{file: file}, nil
}

// Open opens a journal. Next reads its records from the first on; Append is valid after the last one.
func Open(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &Journal{file: file, in: bufio.NewReaderSize(file, 1<<20), end: info.Size()}, nil
}

// Next returns the next record, or io.EOF after the last complete one. It then removes what follows.
func (j *Journal) Next() ([]byte, error) {
	if j.in == nil {
		return nil, io.EOF
	}
	record, err := j.next()
	if err == nil {
		j.size += headSize + int64(len(record))
		return record, nil
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.in = nil
	if err := j.file.Truncate(j.size); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if _, err := j.file.Seek(j.size, io.SeekStart); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return nil, io.EOF
}

// next reads a record. An incomplete or damaged one is io.EOF.
func (j *Journal) next() ([]byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(j.in, head[:]); err != nil {
		return nil, ended(err)
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > j.end-j.size-headSize {
		return nil, io.EOF
	}
	record := make([]byte, n)
	if _, err := io.ReadFull(j.in, record); err != nil {
		return nil, ended(err)
	}
	if crc32.Checksum(record, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, io.EOF
	}
	return record, nil
}

// ended turns the end of a file within a record into io.EOF.
func ended(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}

// Append adds a record of less than 4 GiB after the last one.
func (j *Journal) Append(record []byte) error {
	if j.in != nil {
		return errors.New("journal: there are records that were not read")
	}
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, headSize+len(record)), uint32(len(record)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(record, castagnoli))
	if _, err := j.file.Write(append(head, record...)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
