package harness

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Sections returns the texts of a page by title; none if the page does not exist.
func Sections(page string) (map[string]string, error) {
	raw, err := os.ReadFile(page)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	of := map[string]string{}
	for _, section := range strings.Split(string(raw), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n\n")
		of[title] = strings.TrimRight(text, "\n") + "\n"
	}
	return of, nil
}
