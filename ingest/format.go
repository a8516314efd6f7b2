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

const knownFormats = "known formats: .arrow .arrows .feather .ipc .parquet .csv .jsonl .npy .npz .mtx .idx (text, .npy, .mtx, .idx and .arrows also in .gz, .zst, .bz2 and .lz4)"

// foreignKind names what is not read, and says what to do.
func foreignKind(head []byte) (is, do string) {
	if s, known := input.Recognize(head); known && s.File != "" {
		return s.Is, s.File
	}
	if isJSON(head) {
		return "JSON without objects", "write an object a line, or a list of objects; or convert it to Parquet or CSV"
	}
	return "", ""
}

// isJSON reports the beginning of an object, or of an array that is no text in brackets.
func isJSON(head []byte) bool {
	switch first, second := opening(head); {
	case second == 0:
		return false
	case first == '{':
		return second == '"' || second == '}'
	case first == '[':
		return strings.IndexByte(`{["]-0123456789`, second) >= 0
	}
	return false
}

// opening returns the first two bytes that are no white space, behind a byte order mark; 0
// for one that is not there.
func opening(head []byte) (first, second byte) {
	const space = " \t\r\n"
	t := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), space)
	if len(t) == 0 {
		return 0, 0
	}
	first, t = t[0], bytes.TrimLeft(t[1:], space)
	if len(t) > 0 {
		second = t[0]
	}
	return first, second
}

// isRecords reports the beginning of an object, or of an array of objects.
func isRecords(head []byte) bool {
	first, second := opening(head)
	return isJSON(head) && (first == '{' || second == '{')
}

// recognize finds the format from the first bytes; the name only helps to say that it
// promises another one.
func recognize(in *input.Source, encoding string) (input.Format, error) {
	head, _ := in.Peek(8)
	if s, known := input.Recognize(head); known && s.Format != "" {
		return s.Format, nil
	}
	if idx.Is(head) {
		return input.IDX, nil
	}
	head = bytes.Clone(head)
	more, _ := in.Peek(min(in.Buffered(), 512))
	if encoding == "" {
		if isRecords(more) {
			return input.JSON, nil
		}
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
	case ".arrow", ".feather", ".ipc", ".arrows", ".parquet", ".npy", ".npz", ".mtx", ".idx":
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
