package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"unfold/internal/atomicfile"
	"unfold/internal/regular"
	"unfold/models"
)

// WriteFile writes s to the named file and flushes it to the disk. The file appears complete or not
// at all.
func WriteFile(path string, s *Snapshot) error {
	if err := atomicfile.Write(path, func(w io.Writer) error { return Write(w, s) }); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

// ReadFile reads the named file. A missing file is bad input, like an unusable one.
func ReadFile(path string) (*Snapshot, error) {
	f, err := regular.Open(path)
	var kind *regular.KindError
	if errors.As(err, &kind) {
		return nil, models.BadInputf("no model file: %w", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, models.BadInputf("no model file: %w", err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
