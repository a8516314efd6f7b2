package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestPicturesHaveTheirCommands checks that docs/pictures.md shows each picture of its folder
// once, below a command that draws it.
func TestPicturesHaveTheirCommands(t *testing.T) {
	page, err := os.ReadFile("pictures.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := regexp.MustCompile(`(?m)^    unfold plot .*-o ([a-z]+\.png)\n\n!\[[^]]+\]\(pictures/([a-z]+\.png)\)$`)
	var shown []string
	for _, m := range drawn.FindAllSubmatch(page, -1) {
		if string(m[1]) != string(m[2]) {
			t.Errorf("a command draws %s, below it is %s", m[1], m[2])
		}
		shown = append(shown, string(m[1]))
	}
	slices.Sort(shown)
	files, err := filepath.Glob("pictures/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pictures: %v", err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if !slices.Equal(shown, files) {
		t.Errorf("the page draws and shows %v, its folder holds %v", shown, files)
	}
}
