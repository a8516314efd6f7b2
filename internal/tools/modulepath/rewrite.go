package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// skipped are folders without files of the module.
var skipped = []string{".git", "out", "bin"}

// Rewrite changes the path of the module in root to the path to, in every file that names it. It
// returns the number of changed files.
func Rewrite(root, to string) (changed int, err error) {
	if err := module.CheckImportPath(to); err != nil {
		return 0, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	r := &renaming{from: modfile.ModulePath(mod), to: to}
	if r.from == "" {
		return 0, fmt.Errorf("%s names no module", filepath.Join(root, "go.mod"))
	}
	if err := r.look(root); err != nil {
		return 0, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		did, err := r.file(path)
		if did {
			changed++
		}
		return err
	})
	return changed, err
}

// renaming replaces one module path by another.
type renaming struct {
	from, to string
	// tops are the top folders, which distinguish packages from other texts with a slash.
	tops []string
}

// look lists the top folders.
func (r *renaming) look(root string) error {
	entries, err := os.ReadDir(root)
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(skipped, e.Name()) {
			r.tops = append(r.tops, e.Name())
		}
	}
	return err
}

// file rewrites one file, if it is of a kind that names packages.
func (r *renaming) file(path string) (changed bool, err error) {
	var rewrite func(string, []byte) ([]byte, error)
	switch name := filepath.Base(path); {
	case filepath.Ext(name) == ".go":
		rewrite = r.source
	case name == "go.mod":
		rewrite = r.mod
	case filepath.Ext(name) == ".md", name == "Makefile", name == "Dockerfile", name == "run", filepath.Ext(name) == ".yaml":
		rewrite = r.text
	default:
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	after, err := rewrite(path, before)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(before, after) {
		return false, nil
	}
	return true, os.WriteFile(path, after, info.Mode().Perm())
}

// mod rewrites the module's name, and the requirements and replacements with it. Lines stay in
// place.
func (r *renaming) mod(path string, before []byte) ([]byte, error) {
	f, err := modfile.Parse(path, before, nil)
	if err != nil {
		return nil, err
	}
	for _, statement := range f.Syntax.Stmt {
		switch s := statement.(type) {
		case *modfile.Line:
			r.line(s)
		case *modfile.LineBlock:
			for _, l := range s.Line {
				r.line(l)
			}
		}
	}
	return modfile.Format(f.Syntax), nil
}

// line rewrites one line of a go.mod.
func (r *renaming) line(l *modfile.Line) {
	for i, word := range l.Token {
		if name, is := r.path(word); is {
			l.Token[i] = modfile.AutoQuote(name)
		}
	}
}

// path returns the new name of a package or module of this module; it reports false for others.
func (r *renaming) path(name string) (string, bool) {
	rest, is := strings.CutPrefix(name, r.from)
	if !is || rest != "" && rest[0] != '/' {
		return name, false
	}
	return r.to + rest, true
}
