package ingest

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// guess is what a column may still be, given the fields seen so far.
type guess struct {
	notInt, notFloat, notBool bool
	filled                    bool
}

func (g *guess) see(field string) {
	if field == "" {
		return
	}
	g.filled = true
	if !g.notBool {
		_, ok := parseBool(field)
		g.notBool = !ok
	}
	if !g.notInt {
		_, err := strconv.ParseInt(field, 10, 64)
		g.notInt = err != nil
	}
	if !g.notFloat {
		// 007 is a code, not the number 7.
		_, err := strconv.ParseFloat(field, 64)
		g.notFloat = err != nil || leadingZero(field)
		g.notInt = g.notInt || g.notFloat
	}
}

func leadingZero(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0' && strings.Trim(s, "0123456789") == ""
}

func (g *guess) result() csvType {
	switch {
	case !g.filled:
		return csvText
	case !g.notInt:
		return csvInt
	case !g.notFloat:
		return csvFloat
	case !g.notBool:
		return csvBool
	}
	return csvText
}

// inferTypes reads records to the end.
func inferTypes(in *textRecords, opts CSVOptions) (out csvInferred, err error) {
	first, err := in.next()
	if err == io.EOF {
		return out, in.origin.bad("the file has no records")
	}
	if err != nil {
		return out, err
	}
	first = slices.Clone(first)
	if out.names, out.header, err = csvNames(first, opts, in.origin); err != nil {
		return out, err
	}
	guesses := make([]guess, len(out.names))
	look := func(rec []string) {
		for i, field := range rec[:min(len(rec), len(guesses))] {
			guesses[i].see(field)
		}
		out.rows++
	}
	if !out.header {
		look(first)
	}
	for {
		rec, err := in.next()
		if err != nil {
			// Errors come up again, with their rows, when the records are read.
			break
		}
		look(rec)
	}
	for _, g := range guesses {
		out.types = append(out.types, g.result())
	}
	return out, setTypes(out.types, out.names, opts.Types, in.origin)
}

func setTypes(types []csvType, names []string, set map[string]string, o Origin) error {
	for name, t := range set {
		i := slices.Index(names, name)
		if i < 0 {
			return unknownColumn(o, name, names)
		}
		k := slices.Index(csvTypeNames, t)
		if k < 0 {
			return fmt.Errorf("the type %q of column %q is not known; types are %s", t, name, list(csvTypeNames))
		}
		types[i] = csvType(k)
	}
	return nil
}

// csvNames decides whether the first record is a header and names the columns.
func csvNames(first []string, opts CSVOptions, o Origin) (names []string, header bool, err error) {
	header = opts.Header == HeaderYes
	if opts.Header == HeaderAuto {
		header = looksLikeHeader(first)
		if opts.Names != nil {
			header = slices.Equal(first, opts.Names)
		}
	}
	switch {
	case opts.Names != nil:
		if len(opts.Names) != len(first) {
			return nil, false, o.bad("it has %d columns, %d names are given", len(first), len(opts.Names))
		}
		names = opts.Names
	case header:
		names = slices.Clone(first)
		names[0] = strings.TrimPrefix(names[0], "\uFEFF")
	default:
		names = make([]string, len(first))
	}
	seen := map[string]bool{}
	for i := range names {
		if names[i] == "" {
			names[i] = "column_" + strconv.Itoa(i)
		}
		if seen[names[i]] {
			return nil, false, o.badColumn(names[i], "two columns have this name").hint("rename one in the header, or say that there is none")
		}
		seen[names[i]] = true
	}
	return names, header, nil
}

func looksLikeHeader(rec []string) bool {
	for _, f := range rec {
		if _, err := strconv.ParseFloat(f, 64); err == nil || f == "" {
			return false
		}
		if _, ok := parseBool(f); ok {
			return false
		}
	}
	return true
}
