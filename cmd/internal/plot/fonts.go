package plot

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fallback finds system fonts for characters that the program's own font lacks, such as Chinese,
// Japanese and Korean ones. It only searches when such a character occurs.
type fallback struct {
	// folders are searched for fonts; nil means the system's font folders.
	folders []string

	files  []string // in the order in which they are tried
	listed bool
	opened map[string]*opentype.Font
	found  map[wanted]string // the file of a font, "" if there is none
	// faces are fonts as package shaping reads them: those of files by path, and the program's own.
	faces map[string]*font.Face
}

// wanted is a character and the weight in which it is written.
type wanted struct {
	r    rune
	bold bool
}

// mostFiles bounds the number of fonts that are opened for a character. Perhaps no font has it.
const mostFiles = 400

// systemFolders returns the font folders of Linux, macOS or Windows.
func systemFolders() []string {
	out := []string{"/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"}
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, filepath.Join(home, ".fonts"), filepath.Join(home, ".local/share/fonts"), filepath.Join(home, "Library/Fonts"))
	}
	if windows := os.Getenv("WINDIR"); windows != "" {
		out = append(out, filepath.Join(windows, "Fonts"))
	}
	return out
}

// missing returns the number of characters that no font could draw.
func (f *fallback) missing() (n int) {
	seen := map[rune]bool{}
	for want, path := range f.found {
		if path == "" && !seen[want.r] {
			seen[want.r], n = true, n+1
		}
	}
	return n
}

// find returns a font that can draw a character, nil if there is none.
func (f *fallback) find(r rune, bold bool) *opentype.Font {
	if f == nil {
		return nil
	}
	return f.opened[f.file(r, bold)]
}

// file returns the file of a font that can draw a character, "" if there is none.
func (f *fallback) file(r rune, bold bool) string {
	want := wanted{r, bold}
	if path, known := f.found[want]; known {
		return path
	}
	if !f.listed {
		f.list()
	}
	if f.found == nil {
		f.found, f.opened = map[wanted]string{}, map[string]*opentype.Font{}
	}
	files := f.files
	if bold { // a bold face of the same family comes before its regular one
		files = slices.Clone(files)
		slices.SortStableFunc(files, func(a, b string) int { return rank(a, true) - rank(b, true) })
	}
	for _, path := range files {
		if font := f.open(path); font != nil && draws(font, r) {
			f.found[want] = path
			return path
		}
	}
	f.found[want] = ""
	return ""
}

// list lists the fonts of the folders, those for plain text first.
func (f *fallback) list() {
	f.listed = true
	folders := f.folders
	if folders == nil {
		folders = systemFolders()
	}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && slices.Contains([]string{".ttf", ".otf", ".ttc", ".otc"}, strings.ToLower(filepath.Ext(path))) {
				f.files = append(f.files, path)
			}
			return nil // fonts of unreadable folders are skipped
		})
	}
	slices.Sort(f.files)
	slices.SortStableFunc(f.files, func(a, b string) int { return rank(a, false) - rank(b, false) })
	f.files = f.files[:min(len(f.files), mostFiles)]
}

// rank returns a number that is smaller for fonts that suit sans-serif text better.
func rank(path string, bold bool) (n int) {
	name := strings.ToLower(filepath.Base(path))
	if !strings.Contains(name, "sans") && !strings.Contains(name, "gothic") && !strings.Contains(name, "arial") {
		n += 8
	}
	for _, odd := range []string{"mono", "serif", "italic", "oblique", "condensed", "light", "thin", "black"} {
		if strings.Contains(name, odd) {
			n += 4
			break
		}
	}
	if strings.Contains(name, "bold") != bold {
		n += 2
	}
	return n
}

// open reads the first font of a file, nil if it cannot be read. The fonts of a collection only
// differ in characters that several languages share.
func (f *fallback) open(path string) *opentype.Font {
	if font, known := f.opened[path]; known {
		return font
	}
	f.opened[path] = nil
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	c, err := opentype.ParseCollection(raw)
	if err != nil || c.NumFonts() == 0 {
		return nil
	}
	if font, err := c.Font(0); err == nil {
		f.opened[path] = font
	}
	return f.opened[path]
}

// draws reports whether a font has an outline for a character, which fonts of pictures lack.
func draws(font *opentype.Font, r rune) bool {
	var buf sfnt.Buffer
	g, err := font.GlyphIndex(&buf, r)
	if err != nil || g == 0 {
		return false
	}
	outline, err := font.LoadGlyph(&buf, g, fixed.I(int(font.UnitsPerEm())), nil)
	return err == nil && len(outline) > 0
}
