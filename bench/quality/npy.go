package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"unfold/ingest"
	"unfold/internal/vec"
)

// writeNPY writes x in NumPy's format 1.0: little-endian float32, rows by columns.
func writeNPY(path string, x vec.Matrix[float32]) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if _, err := w.Write(npyHeader(x.Rows, x.Cols)); err != nil {
		return err
	}
	var row []byte
	for i := range x.Rows {
		if row, err = binary.Append(row[:0], binary.LittleEndian, x.Row(i)); err != nil {
			return err
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// npyHeader returns the magic, the version, the header's length and the header, padded so that the
// data begin at a multiple of 64 bytes.
func npyHeader(rows, cols int) []byte {
	const before = 10
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols)
	for (before+len(text)+1)%64 != 0 {
		text += " "
	}
	text += "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(head, text...)
}

// readVectors reads files that contain only vectors, concatenated.
func readVectors(ctx context.Context, paths ...string) (vec.Matrix[float32], error) {
	d, err := ingest.ReadAll(ctx, paths, ingest.ReadOptions{})
	if err != nil {
		return vec.Matrix[float32]{}, err
	}
	return d.X, nil
}
