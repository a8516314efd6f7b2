package input

import (
	"bytes"
	"slices"
)

// Signature is a kind of data that its first bytes name.
type Signature struct {
	Magic string
	// Is names it, behind "this is".
	Is string
	// Format is what files of it are read as; "" if they are not read.
	Format Format
	// File says what to do with a file that is not read, Message with a message, if that is
	// not what holds for messages of all kinds.
	File, Message string
}

// compressed is what to do with messages that their producer has compressed.
const compressed = "let the producer compress (compression.type), not the one who calls it"

// signatures are the kinds that are known. Text has none.
var signatures = []Signature{
	{Magic: "ARROW1", Is: "an Arrow file", Format: ArrowFile, Message: "write a stream: pyarrow.ipc.new_stream, or write_ipc_stream of polars"},
	{Magic: "\xff\xff\xff\xff", Is: "an Arrow stream", Format: ArrowStream},
	{Magic: "PAR1", Is: "a Parquet file", Format: Parquet},
	{Magic: "PARE", Is: "an encrypted Parquet file", Format: Parquet},
	{Magic: "\x93NUMPY", Is: "a NumPy array (.npy)", Format: NPY},
	{Magic: "PK\x03\x04", Is: "a zip archive", Format: NPZ},
	{Magic: "PK\x05\x06", Is: "a zip archive", Format: NPZ},
	{Magic: "%%Matrix", Is: "a Matrix Market file", Format: Market},

	{Magic: "\xfd7zXZ\x00", Is: "compressed by xz", File: "unpack it first: xz -d, or xz -dc FILE | unfold ... -", Message: compressed},
	{Magic: "7z\xbc\xaf\x27\x1c", Is: "a 7z archive", File: "unpack it first"},
	{Magic: "Rar!\x1a\x07", Is: "a RAR archive", File: "unpack it first"},
	{Magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Is: "an Excel workbook of the old kind (.xls)", File: "save it as CSV or Parquet"},
	{Magic: "Obj\x01", Is: "an Avro file", File: "convert it to Parquet"},
	{Magic: "ORC", Is: "an ORC file", File: "convert it to Parquet, for instance by pyarrow.orc.read_table"},
	{Magic: "FEA1", Is: "a Feather file of version 1", File: "write version 2"},
	{Magic: "\x89HDF\r\n\x1a\n", Is: "an HDF5 file", File: "save the array as .npy or Parquet"},
	{Magic: "SQLite format 3\x00", Is: "an SQLite database", File: "export the table as CSV"},
	{Magic: "MATLAB 5.0 MAT-file", Is: "a MATLAB file", File: "save the array as .npy: scipy.io.loadmat, then numpy.save"},
	{Magic: "%PDF-", Is: "a PDF document", File: "name the file that holds the data"},
	{Magic: "<!DOCTYPE", Is: "an HTML page", File: page},
	{Magic: "<!doctype", Is: "an HTML page", File: page},
	{Magic: "<html", Is: "an HTML page", File: page},
	{Magic: "<?xml", Is: "an XML file", File: "convert it to CSV or Parquet"},
}

const page = "if it was fetched from the web, its address leads to a page, not to the data"

// pickle is what Python writes, whose second byte is a version.
var pickle = Signature{Magic: "\x80", Is: "a Python pickle", File: "save the array by numpy.save, or the table as Parquet"}

// Recognize returns what data begin with.
func Recognize(head []byte) (s Signature, known bool) {
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.Magic)) {
			return s, true
		}
	}
	if p, packed := packingOf(head); packed {
		return Signature{Magic: p.magic, Is: "compressed by " + p.name, Message: compressed}, true
	}
	if len(head) > 2 && head[0] == pickle.Magic[0] && head[1] >= 2 && head[1] <= 5 && slices.Contains([]byte("}]c\x95(K"), head[2]) {
		return pickle, true
	}
	return s, false
}

// NameOf names the files of a format; "" for those without a signature.
func NameOf(f Format) string {
	for _, s := range signatures {
		if s.Format == f {
			return s.Is
		}
	}
	return ""
}
