package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// listed is the output of go list for a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// mutate writes the sources of a package with all its sites to a folder, and the overlay for go
// build. The sites are numbered 0, 1, 2... dir is the package's own folder.
func mutate(ctx context.Context, path, folder string) (overlay, dir string, sites []site, err error) {
	own, lookup, err := list(ctx, path)
	if err != nil {
		return "", "", nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range own.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(own.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", "", nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}).Check(own.ImportPath, fset, files, info); err != nil {
		return "", "", nil, err
	}
	replace := map[string]string{}
	for i, f := range files {
		source, err := os.ReadFile(filepath.Join(own.Dir, own.GoFiles[i]))
		if err != nil {
			return "", "", nil, err
		}
		m := mutator{name: own.GoFiles[i], source: source, fset: fset, info: info, first: len(sites)}
		text, more := m.rewrite(f)
		if text == nil {
			continue
		}
		sites = append(sites, more...)
		to := filepath.Join(folder, own.GoFiles[i])
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", "", nil, err
		}
		replace[filepath.Join(own.Dir, own.GoFiles[i])] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", "", nil, err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, own.Dir, sites, os.WriteFile(overlay, text, 0o600)
}

// list returns a package and a lookup function for the types of its imports.
func list(ctx context.Context, path string) (own listed, lookup importer.Lookup, err error) {
	c := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", path)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		return own, nil, fmt.Errorf("go list %s: %w\n%s", path, err, &problems)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(&out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return own, nil, fmt.Errorf("go list %s: %w", path, err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			own = p
		}
	}
	return own, func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }, nil
}
