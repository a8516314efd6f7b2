package main

import (
	"crypto/sha256"
	files "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// loaders are the source files that determine the content of a prepared data set.
//
//go:embed load.go points.go prepare.go npy.go toy.go words.csv
var loaders files.FS

// stamp returns a hash of everything that a prepared data set depends on: its path, the names and
// sizes of its files, and the loaders. Files with another stamp are not used.
func stamp(source string) (string, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", source)
	err = filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %d\n", path, info.Size())
		return nil
	})
	if err != nil {
		return "", err
	}
	err = fs.WalkDir(loaders, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := loaders.ReadFile(path)
		fmt.Fprintf(h, "%q %q\n", path, text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// readStamped reads a file of writeJSON into v and reports whether it has the stamp. A missing file
// has not.
func readStamped(path, stamp string, v any) (bool, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var made struct{ Stamp string }
	if err := json.Unmarshal(text, &made); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if made.Stamp != stamp {
		return false, nil
	}
	return true, json.Unmarshal(text, v)
}
