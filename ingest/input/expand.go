package input

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unfold/ingest/table"
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
			return nil, table.Origin{File: p}.Bad("the pattern is malformed").Because(err)
		}
		if len(match) == 0 {
			return nil, table.Origin{File: p}.Bad("no file matches the pattern")
		}
		slices.Sort(match)
		out = append(out, match...)
	}
	if len(out) == 0 {
		return nil, table.Origin{}.Bad("no input is named")
	}
	return out, nil
}
