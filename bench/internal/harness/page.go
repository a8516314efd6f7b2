package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Details separates the part of a page that everyone reads from its tables; see WritePage.
const Details = "<!-- details -->\n"

// WritePage writes a page. The text behind Details goes to a page of the same name in the folder
// reference beside it, so that the page itself stays short. Relative links are adjusted.
func WritePage(path string, text []byte) error {
	head, details, ok := strings.Cut(string(text), Details)
	if !ok {
		return os.WriteFile(path, text, 0o666)
	}
	folder, name := filepath.Join(filepath.Dir(path), "reference"), filepath.Base(path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(head, "# "), "\n")
	details = fmt.Sprintf("# %s: tables\n\n[%s](../%s) explains these tables.\n\n", title, name, name) + relative.ReplaceAllString(details, "](../$1")
	head = fmt.Sprintf("%s\n\nThe tables behind these figures: [reference/%s](reference/%s).\n", strings.TrimRight(head, "\n"), name, name)
	return errors.Join(os.WriteFile(path, []byte(head), 0o666), os.WriteFile(filepath.Join(folder, name), []byte(strings.TrimRight(details, "\n")+"\n"), 0o666))
}

// relative matches the beginning of a link to another file.
var relative = regexp.MustCompile(`\]\(([a-z]+(?:-[a-z]+)*[/.])`)

// ReadPage returns what WritePage has written, both parts one behind the other, with the links of
// the page. It is empty if there is no page.
func ReadPage(path string) (string, error) {
	head, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	details, err := os.ReadFile(filepath.Join(filepath.Dir(path), "reference", filepath.Base(path)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return string(head) + "\n" + strings.ReplaceAll(string(details), "](../", "]("), nil
}
