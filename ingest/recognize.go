package ingest

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"unfold/ingest/csv"
	"unfold/ingest/idx"
	"unfold/ingest/input"
)

// foreignKind returns the name of a format that cannot be read, and advice.
func foreignKind(head []byte) (is, do string) {
	if s, known := input.RecognizeFile(head); known && s.File != "" {
		return s.Is, s.File
	}
	if isJSON(head) && !isRecords(head) {
		return "JSON without objects", "write an object or a list of numbers a line, or a list of these; or convert it to Parquet or CSV"
	}
	return "", ""
}

// isJSON reports whether head begins with an object, or with an array that is not text in brackets.
func isJSON(head []byte) bool {
	switch first, second := opening(head); {
	case second == 0:
		return false
	case first == '{':
		return second == '"' || second == '}'
	case first == '[' && strings.IndexByte(`-0123456789`, second) >= 0:
		return isNumbers(head[bytes.IndexByte(head, '[')+1:])
	case first == '[' && second == '[':
		return isJSON(head[bytes.IndexByte(head, '[')+1:])
	case first == '[':
		return strings.IndexByte(`{"]`, second) >= 0
	}
	return false
}

// jsonValue matches a value in a list, or the beginning of a value that is not a number.
var jsonValue = regexp.MustCompile(`^\s*(-?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?\s*$|-?Infinity\s*$|NaN\s*$|null\s*$|true\s*$|false\s*$|[\[{"])`)

// isNumbers reports whether text after a bracket is a list that begins with a number. It is not in
// logs, whose lines begin with a time in brackets, or in lists of addresses.
func isNumbers(text []byte) bool {
	list, _, whole := bytes.Cut(text, []byte{']'})
	values := bytes.Split(list, []byte{','})
	if !whole && len(values) > 1 {
		values = values[:len(values)-1] // the last continues
	}
	for _, v := range values {
		if found := jsonValue.Find(v); found == nil {
			return false
		} else if strings.IndexByte(`[{"`, found[len(found)-1]) >= 0 {
			break // it may contain commas and brackets
		}
	}
	return true
}

// opening returns the first two bytes that are not white space, after a byte order mark; 0 for a
// missing byte.
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

// isRecords reports whether head begins with an object, an array of objects, or an array of
// numbers.
func isRecords(head []byte) bool {
	first, second := opening(head)
	return isJSON(head) && (first == '{' || strings.IndexByte("{[-0123456789", second) >= 0)
}

// recognize returns the format of the first bytes. The file's name is only used in errors if it
// promises another format.
func recognize(in *input.Source, encoding string) (input.Format, error) {
	head, _ := in.Peek(8)
	if s, known := input.Recognize(head); known && s.Format != "" {
		return s.Format, nil
	}
	more, _ := in.Peek(min(in.Buffered(), 1<<16))
	if format := byContent(in, more); format != "" {
		return format, nil
	}
	if idx.Is(head) {
		return input.IDX, nil
	}
	if encoding == "" {
		if is, do := foreignKind(more); is != "" {
			return "", in.Origin.Bad("this is %s, which is not read", is).Suggest("%s", do)
		}
		if isRecords(more) {
			return input.JSON, nil
		}
	}
	return input.CSV, notText(in, more, encoding)
}

// notText returns the reason why the source cannot be text, or nil.
func notText(in *input.Source, head []byte, encoding string) error {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(in.Origin.File), ".gz"))
	if is, do := input.ByTail(in); is != "" {
		return in.Origin.Bad("this is %s, which is not read", is).Suggest("%s", do)
	}
	text := head
	head = head[:min(len(head), 8)]
	if isBinaryName(ext) {
		return in.Origin.Bad("the file does not have the format of its name (%s): it starts with %q", ext, head).Suggest("known formats: %s", Formats())
	}
	if mark, _ := csv.MarkOf(head); mark != "" || encoding != "" {
		return nil
	}
	// Some databases separate fields by control characters.
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{1}, []byte{','}), []byte{0x1f}, []byte{','})
	if !isBinary(text[:len(head)], 0) && !isBinary(text, len(text)/100) {
		return nil
	}
	if len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0 {
		return in.Origin.Bad("this seems to be UTF-16 text without a byte order mark").Suggest("if it is say so: --encoding utf-16le")
	}
	if len(head) >= 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0 && head[1] >= ' ' {
		return in.Origin.Bad("this seems to be UTF-16 text without a byte order mark").Suggest("if it is say so: --encoding utf-16be")
	}
	e := in.Origin.Bad("the file is of no known format: it starts with %q", head)
	if slices.Contains([]string{".bin", ".dat", ".raw", ".f32", ".f64", ".vec", ".emb"}, ext) {
		return e.Suggest("of plain numbers: numpy.save(\"x.npy\", numpy.fromfile(FILE, \"float32\").reshape(-1, COLUMNS)); known formats: %s", Formats())
	}
	return e.Suggest("known formats: %s", Formats())
}

// isBinary reports whether b contains a 0, or more than most control characters that do not occur
// in text.
func isBinary(b []byte, most int) bool {
	count := 0
	for _, c := range b {
		if c < 9 || c > 13 && c < 32 && c != 27 && c != 26 {
			count++
		}
	}
	return count > most || bytes.IndexByte(b, 0) >= 0
}
