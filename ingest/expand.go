package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Expand replaces patterns (*, ?, [a-z]) by the files that match, sorted;
// other paths stay as they are. A pattern that nothing matches is an *Error.
func Expand(patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		if isAddress(p) {
			return nil, addressError(p)
		}
		if _, err := os.Lstat(p); err == nil || p == "-" || !strings.ContainsAny(p, "*?[") {
			out = append(out, p)
			continue
		}
		match, err := filepath.Glob(p)
		if err != nil {
			return nil, Origin{File: p}.bad("the pattern is malformed").cause(err)
		}
		if len(match) == 0 {
			return nil, Origin{File: p}.bad("no file matches the pattern")
		}
		slices.Sort(match)
		out = append(out, match...)
	}
	if len(out) == 0 {
		return nil, Origin{}.bad("no input is named")
	}
	return out, nil
}
