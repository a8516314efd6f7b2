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
// reference beside it, or beside its folder, so that the page itself stays short. Relative links are adjusted.
func WritePage(path string, text []byte) error {
	head, details, ok := strings.Cut(string(text), Details)
	if !ok {
		return os.WriteFile(path, text, 0o666)
	}
	folder, to, back := reference(path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	name := filepath.Base(path)
	title, _, _ := strings.Cut(strings.TrimPrefix(head, "# "), "\n")
	details = fmt.Sprintf("# %s: tables\n\n[%s](%s%s) ", title, name, back, name) + explains + relative.ReplaceAllString(details, "]("+back+"$1")
	head = strings.TrimRight(head, "\n") + behind + fmt.Sprintf("[reference/%s](%s/%s).\n", name, to, name)
	return errors.Join(os.WriteFile(path, []byte(head), 0o666), os.WriteFile(filepath.Join(folder, name), []byte(strings.TrimRight(details, "\n")+"\n"), 0o666))
}

// behind begins the last line of a page, and explains ends the first of its tables.
const (
	behind   = "\n\nThe tables behind these figures: "
	explains = "explains these tables.\n\n"
)

// reference is the folder of a page's tables, with the links to it and back: that beside the page's
// folder, if it has one, or else one beside the page.
func reference(path string) (folder, to, back string) {
	dir := filepath.Dir(path)
	above := filepath.Join(dir, "..", "reference")
	if st, err := os.Stat(above); err == nil && st.IsDir() {
		if abs, err := filepath.Abs(dir); err == nil {
			return above, "../reference", "../" + filepath.Base(abs) + "/"
		}
	}
	return filepath.Join(dir, "reference"), "reference", "../"
}

// relative matches the beginning of a link to another file.
var relative = regexp.MustCompile(`\]\(([a-z]+(?:-[a-z]+)*[/.])`)

// ReadPage returns the text that WritePage was given, without Details. It is blank if there is no page.
func ReadPage(path string) (string, error) {
	head, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	folder, _, back := reference(path)
	details, err := os.ReadFile(filepath.Join(folder, filepath.Base(path)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	text, _, _ := strings.Cut(string(head), behind)
	_, tables, _ := strings.Cut(string(details), explains)
	return text + "\n\n" + strings.ReplaceAll(tables, "]("+back, "]("), nil
}
