package parquetcheck

import "io"

// Limits bound what a file may ask for.
type Limits struct {
	// Page bounds a page once decompressed, in bytes.
	Page int64
}

// Check checks a file of size bytes.
func Check(r io.ReaderAt, size int64, lim Limits) error { return nil }
