package ingest

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unfold/ingest/csv"
	"unfold/ingest/idx"
	"unfold/ingest/input"
)

const knownFormats = "known formats: .arrow .arrows .feather .ipc .parquet .csv .npy .npz .idx (text, .npy, .idx and .arrows also in .gz, .zst, .bz2 and .lz4)"

// foreign are kinds of files that are known and not read, by the bytes they begin with.
var foreign = []struct{ magic, is, do string }{
	{"\xfd7zXZ\x00", "compressed by xz", "unpack it first: xz -d, or xz -dc FILE | unfold ... -"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it first"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook of the old kind (.xls)", "save it as CSV or Parquet"},
	{"Obj\x01", "an Avro file", "convert it to Parquet"},
	{"ORC", "an ORC file", "convert it to Parquet, for instance by pyarrow.orc.read_table"},
	{"FEA1", "Feather version 1", "write version 2"},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file", "save the array as .npy or Parquet"},
	{"SQLite format 3\x00", "an SQLite database", "export the table as CSV"},
	{"MATLAB 5.0 MAT-file", "a MATLAB file", "save the array as .npy: scipy.io.loadmat, then numpy.save"},
	{"%PDF-", "a PDF document", "name the file that holds the data"},
	{"<!DOCTYPE", "an HTML page", "if it was fetched from the web, its address leads to a page, not to the data"},
	{"<!doctype", "an HTML page", "if it was fetched from the web, its address leads to a page, not to the data"},
	{"<html", "an HTML page", "if it was fetched from the web, its address leads to a page, not to the data"},
	{"<?xml", "an XML file", "convert it to CSV or Parquet"},
}

// foreignKind names what is not read, and says what to do.
func foreignKind(head []byte) (is, do string) {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.is, f.do
		}
	}
	if len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 && slices.Contains([]byte("}]c\x95(K"), head[2]) {
		return "a Python pickle", "save the array by numpy.save, or the table as Parquet"
	}
	if isJSON(head) {
		return "JSON", "convert it to Parquet or CSV, for instance by pandas.read_json (lines=True for a line an object) and to_parquet"
	}
	return "", ""
}

// isJSON reports the beginning of an object, or of an array that is no text in brackets.
func isJSON(head []byte) bool {
	t := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(t) < 2 {
		return false
	}
	next := bytes.TrimLeft(t[1:], " \t\r\n")
	switch {
	case len(next) == 0:
		return false
	case t[0] == '{':
		return next[0] == '"' || next[0] == '}'
	case t[0] == '[':
		return strings.IndexByte(`{["]-0123456789`, next[0]) >= 0
	}
	return false
}

// recognize finds the format from the first bytes; the name only helps to say that it
// promises another one.
func recognize(in *input.Source, encoding string) (input.Format, error) {
	head, _ := in.Peek(8)
	switch {
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return input.ArrowFile, nil
	case bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return input.ArrowStream, nil
	case bytes.HasPrefix(head, []byte("PAR1")):
		return input.Parquet, nil
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return input.NPY, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return input.NPZ, nil
	case idx.Is(head):
		return input.IDX, nil
	}
	head = bytes.Clone(head)
	more, _ := in.Peek(min(in.Buffered(), 512))
	if encoding == "" {
		if is, do := foreignKind(more); is != "" {
			return "", in.Origin.Bad("this is %s, which is not read", is).Suggest("%s", do)
		}
	}
	return input.CSV, notText(in, head, encoding)
}

// notText returns why the source cannot be text, or nil.
func notText(in *input.Source, head []byte, encoding string) error {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(in.Origin.File), ".gz"))
	switch ext {
	case ".arrow", ".feather", ".ipc", ".arrows", ".parquet", ".npy", ".npz", ".idx":
		return in.Origin.Bad("the file is not what its name says (%s): it starts with %q", ext, head).Suggest("%s", knownFormats)
	}
	if mark, _ := csv.MarkOf(head); mark != "" || encoding != "" {
		return nil
	}
	if !slices.ContainsFunc(head, func(b byte) bool { return b < 9 || b > 13 && b < 32 && b != 27 }) {
		return nil
	}
	if len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0 {
		return in.Origin.Bad("this seems to be UTF-16 text without a byte order mark").Suggest("if it is say so: --encoding utf-16le")
	}
	return in.Origin.Bad("the file is of no known format: it starts with %q", head).Suggest("%s", knownFormats)
}
