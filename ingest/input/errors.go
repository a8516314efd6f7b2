package input

import (
	"archive/zip"
	"errors"
	"io"
	"unfold/ingest/table"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// ReadError converts an error of reading bytes to one with advice.
func ReadError(o table.Origin, err error) *table.Error {
	var flated flate.CorruptInputError
	var corrupt *decompressError
	var known *table.Error
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return o.Bad("zstd compression with a window of more than %d MiB is not supported", zstdWindow>>20).Suggest("unpack it first, or compress it without --long")
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return o.Bad("zstd compression with a dictionary is not supported").Suggest("unpack it first")
	case errors.Is(err, zip.ErrAlgorithm):
		return o.Bad("the array's compression in the archive is not supported").Suggest("save it by numpy.savez or savez_compressed")
	case errors.As(err, &corrupt):
		return o.Bad("the %s compression is corrupt", corrupt.name).Because(corrupt.error).Suggest("get the file again")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &flated):
		return o.Bad("the gzip compression is corrupt").Because(err).Suggest("get the file again")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return o.Bad("the file is truncated").Suggest("it ends before its data does; get it again")
	case errors.As(err, &known):
		return known
	}
	return o.Bad("the file cannot be read").Because(err)
}
