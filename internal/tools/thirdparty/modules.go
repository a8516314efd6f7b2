package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// platforms are the release platforms (.goreleaser.yaml).
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// module is one that the program links, with the folder of its sources.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// linked returns the modules that cmd/unfold links on any platform, ordered by path, without the
// main module. The first is the standard library.
func linked(root string) ([]module, error) {
	known := map[string]module{}
	for _, platform := range platforms {
		found, err := listed(root, platform)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		for _, m := range found {
			known[m.Path] = m
		}
	}
	var out []module
	for _, m := range known {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	library, err := standardLibrary(root)
	return append([]module{library}, out...), err
}

// listed lists the modules of one platform, unordered and with duplicates.
func listed(root, platform string) ([]module, error) {
	system, processor, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/unfold")
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	complaints := new(bytes.Buffer)
	list.Stderr = complaints
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaints)
	}
	var out []module
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module != nil && !p.Module.Main {
			out = append(out, *p.Module)
		}
	}
}

// standardLibrary returns Go's standard library. It has no version, because the toolchain
// determines it.
func standardLibrary(root string) (module, error) {
	env := exec.Command("go", "env", "GOROOT")
	env.Dir = root
	dir, err := env.Output()
	if err != nil {
		return module{}, fmt.Errorf("go env: %w", err)
	}
	return module{Path: "Go's standard library", Dir: strings.TrimSpace(string(dir))}, nil
}

// bundled lists the packages bundled with the page's scripts, from its package.json. The page's
// build copies their licences to web/licences.
func bundled(root string) ([]module, error) {
	raw, err := os.ReadFile(filepath.Join(root, "web", "package.json"))
	if err != nil {
		return nil, err
	}
	var page struct{ Dependencies map[string]string }
	if err := json.Unmarshal(raw, &page); err != nil {
		return nil, fmt.Errorf("web/package.json: %w", err)
	}
	var out []module
	for _, name := range slices.Sorted(maps.Keys(page.Dependencies)) {
		out = append(out, module{Path: "npm:" + name, Version: page.Dependencies[name], Dir: filepath.Join(root, "web", "licences", filepath.FromSlash(name))})
	}
	return out, nil
}
