package cli

import (
	"os"
	"path/filepath"
	"slices"

	"unfold/internal/atomicfile"
)

// named is a file with the flag that names it.
type named struct{ flag, path string }

// checkDifferent returns an error if an output would replace another output or an input.
func checkDifferent(outputs []named, inputs ...[]string) error {
	for i, o := range outputs {
		for _, other := range outputs[:i] {
			if sameFile(o.path, other.path) {
				return usagef("%s and %s name the same file, %s", other.flag, o.flag, o.path)
			}
		}
		for _, in := range slices.Concat(inputs...) {
			if sameFile(o.path, in) {
				return usagef("%s: %s is an input; it would be replaced", o.flag, o.path)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to the same file. The file need not exist yet. Empty
// paths and "-" (standard input or output) are no files.
func sameFile(a, b string) bool {
	if a == "" || a == "-" || b == "" || b == "-" {
		return false
	}
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil {
			return os.SameFile(x, y)
		}
	}
	x, errA := filepath.Abs(a)
	y, errB := filepath.Abs(b)
	return errA == nil && errB == nil && x == y
}

// checkWritable tests early whether outputs can be written, so that an error does not come after
// hours of work.
func checkWritable(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return usagef("%s is a directory; name a file", path)
		}
		if err := atomicfile.Check(path); err != nil {
			return err
		}
	}
	return nil
}
