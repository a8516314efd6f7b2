package snapshot

import (
	"errors"
	"fmt"
	"io/fs"

	"unfold/internal/regular"
	"unfold/models"
)

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
