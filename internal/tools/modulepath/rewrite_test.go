package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"unfold/internal/testkit/tier"
)

const another = "example.com/somebody/maps/v0x"

func TestSource(t *testing.T) {
	r := &renaming{from: "unfold", to: another, tops: []string{"ingest", "cmd"}}
	const before = `package a

import (
	"fmt"
	"unfold"
	other "unfold/ingest"
)

// unfold/ingest stays in comments, which say it without the path.
var texts = []string{"unfold", "unfold/ingest", "unfold/cmd/unfold", "unfold/ingest.(*Decoder).Decode", "unfold/read", "unfold/ingestion", ` + "`unfold/...`" + `,
	"an unfold/ingest", "unfolded"}
`
	const want = `package a

import (
	"example.com/somebody/maps/v0x"
	other "example.com/somebody/maps/v0x/ingest"
	"fmt"
)

// unfold/ingest stays in comments, which say it without the path.
var texts = []string{"unfold", "example.com/somebody/maps/v0x/ingest", "example.com/somebody/maps/v0x/cmd/unfold", "example.com/somebody/maps/v0x/ingest.(*Decoder).Decode", "unfold/read", "unfold/ingestion", ` + "`example.com/somebody/maps/v0x/...`" + `,
	"an unfold/ingest", "unfolded"}
`
	got, err := r.source("a.go", []byte(before))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := r.source("a.go", []byte("package")); err == nil {
		t.Error("a file that is no Go is rewritten")
	}
}

func TestText(t *testing.T) {
	r := &renaming{from: "unfold", to: "example.com/u", tops: []string{"cmd", "models"}}
	for before, want := range map[string]string{
		"go install unfold/cmd/unfold@latest": "go install example.com/u/cmd/unfold@latest",
		"bin/unfold/cmd":                      "bin/unfold/cmd",
		"-ldflags=unfold/cmd/x":               "-ldflags=example.com/u/cmd/x",
		"`unfold/models`":                     "`example.com/u/models`",
		`import "unfold"`:                     `import "example.com/u"`,
		"go get unfold@v0.1.0":                "go get example.com/u@v0.1.0",
		"unfold fit x":                        "unfold fit x",
		"s3://maps/unfold/models":             "s3://maps/unfold/models",
		"unfold/modelsthat":                   "unfold/modelsthat",
	} {
		if got, err := r.text("", []byte(before)); err != nil || string(got) != want {
			t.Errorf("%q becomes %q, %v; want %q", before, got, err, want)
		}
	}
}

func TestPathsThatCannotBe(t *testing.T) {
	for _, path := range []string{"", "/", "a b", "github.com/you/../x", "https://github.com/you/unfold"} {
		if _, err := Rewrite(t.TempDir(), path); err == nil {
			t.Errorf("%q is taken for a path", path)
		}
	}
	if _, err := Rewrite(t.TempDir(), "example.com/u"); err == nil {
		t.Error("a folder without go.mod is rewritten")
	}
}

// The whole tree can be renamed without losing an import, and renaming it back restores every byte.
func TestThereAndBack(t *testing.T) {
	tier.Full(t, "it renames the whole module")
	dir := t.TempDir()
	before := mirror(t, dir)
	own := modfile.ModulePath([]byte(before["go.mod"]))
	if n, err := Rewrite(dir, another); err != nil || n < 100 {
		t.Fatalf("%d files, %v", n, err)
	}
	imports := 0
	for path := range before {
		if filepath.Ext(path) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, path), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if name == own || strings.HasPrefix(name, own+"/") {
				t.Errorf("%s imports %s", path, name)
			}
			if strings.HasPrefix(name, another) {
				imports++
			}
		}
	}
	if imports == 0 {
		t.Error("nothing imports the module under its new path")
	}
	if _, err := Rewrite(dir, own); err != nil {
		t.Fatal(err)
	}
	for path, want := range before {
		got, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || string(got) != want {
			t.Errorf("%s comes back as something else (%v)", path, err)
		}
	}
}

// mirror copies the files that can name packages into dir and returns their contents.
func mirror(t *testing.T, dir string) map[string]string {
	t.Helper()
	const root = "../../.."
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && (d.Name() == ".git" || d.Name() == "out" || d.Name() == "bin") {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		}
		switch ext := filepath.Ext(path); {
		case ext == ".go", ext == ".mod", ext == ".md", ext == ".yaml", d.Name() == "Makefile", d.Name() == "run":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[rel] = string(text)
			return os.WriteFile(filepath.Join(dir, rel), text, 0o644)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
