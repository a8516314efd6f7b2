package ingest

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// readError explains an error of a reader of bytes.
func readError(o Origin, err error) *Error {
	var flated flate.CorruptInputError
	var unpack *unpackError
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return o.bad("zstd compression with a window of more than %d MiB is not supported", zstdWindow>>20).hint("unpack it first, or compress it without --long")
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return o.bad("zstd compression with a dictionary is not supported").hint("unpack it first")
	case errors.Is(err, zip.ErrAlgorithm):
		return o.bad("the array's compression in the archive is not supported").hint("save it by numpy.savez or savez_compressed")
	case errors.As(err, &unpack):
		return o.bad("the %s compression is corrupt", unpack.name).cause(unpack.error).hint("get the file again")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &flated):
		return o.bad("the gzip compression is corrupt").cause(err).hint("get the file again")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return o.bad("the file is truncated").hint("it ends before its data does; get it again")
	}
	return o.bad("the file cannot be read").cause(err)
}
