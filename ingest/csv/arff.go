package csv

import (
	"regexp"
	"strings"

	"unfold/ingest/input"
	"unfold/ingest/table"
)

// Weka's ARFF files have a header of attributes, and records as separated text. Quotes are ', a
// backslash escapes the next character, % begins a comment, and ? is a missing value.

var (
	arffStart     = regexp.MustCompile(`(?i)^(\s*(%[^\n]*)?\r?\n)*\s*@relation\s`)
	arffData      = regexp.MustCompile(`(?im)^\s*@data\s*$`)
	arffAttribute = regexp.MustCompile(`(?i)^@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\{|\w+)`)
)

// IsARFF reports whether head begins an ARFF file.
func IsARFF(head []byte) bool { return arffStart.Match(head[:min(len(head), 1<<14)]) }

// maxARFFHeader is the maximum size of the header in bytes.
const maxARFFHeader = 1 << 22

// NewARFFReader reads the records of an ARFF file with the names and types in its header.
func NewARFFReader(in *input.Source, opts Options, batchRows int, looked map[string]Inferred) (table.Reader, error) {
	first, err := in.Again(maxARFFHeader, func(head []byte) bool { return arffData.Match(head) })
	if err != nil {
		return nil, err
	}
	defer first.Close()
	lines := newLineReader(first.Reader)
	opts.Header, opts.Names, opts.Skip = HeaderNo, nil, 0
	opts.Comma, opts.Quote, opts.Escape, opts.Comment, opts.Trim = ',', '\'', '\\', '%', true
	types := map[string]string{}
	for name, t := range opts.Types {
		types[name] = t
	}
	for {
		raw, _, err := lines.next()
		if err != nil {
			return nil, in.Origin.Bad("its header has no @data").Suggest("the file is truncated, or no ARFF file")
		}
		opts.Skip++
		line := strings.TrimSpace(string(raw))
		if strings.EqualFold(line, "@data") {
			break
		}
		m := arffAttribute.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.Trim(m[1], `'"`)
		if opts.Names = append(opts.Names, name); len(opts.Names) > maxFields {
			return nil, textError(in.Origin, errManyFields)
		}
		if _, set := types[name]; set {
			continue
		}
		switch strings.ToLower(m[2]) {
		case "numeric", "real", "integer":
			types[name] = "float64"
		case "string", "date":
			types[name] = "string"
		case "relational":
			return nil, in.Origin.BadColumn(name, "relational attributes are not read")
		}
	}
	if head, _ := in.Peek(1); len(head) == 0 || len(opts.Names) == 0 {
		return nil, in.Origin.Bad("its header has no attributes")
	}
	opts.Types = types
	return NewReader(in, opts, batchRows, looked)
}
