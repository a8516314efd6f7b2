// Command vulns searches for known vulnerabilities in functions that the program calls. It uses
// pinned versions of govulncheck and of the Go vulnerability database, so that the same commit
// leads to the same result.
//
// Calling a vulnerable function of a module is a failure. Vulnerabilities of the standard library
// are only listed with the Go release that fixes them, because users choose the Go version.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// The versions of the database and of the checker. A newer database finds newer vulnerabilities.
const (
	database = "golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018"
	indexer  = "golang.org/x/vulndb/cmd/indexdb@v0.0.0-20261105234957-e22db6528018"
	checker  = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
)

func main() {
	out := flag.String("o", "out/vulndb", "the `folder` that the database's index is written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "vulns:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, packages []string) error {
	if len(packages) == 0 {
		packages = []string{"./cmd/unfold"}
	}
	index, err := makeIndex(ctx, out)
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	answer, err := command(ctx, append([]string{"run", checker, "-format", "json", "-db", "file://" + index}, packages...)...)
	if err != nil {
		return err
	}
	found, err := read(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	return found.report(os.Stdout)
}

// makeIndex writes the database in the format of the checker, and returns the absolute path of the
// folder.
func makeIndex(ctx context.Context, out string) (string, error) {
	answer, err := command(ctx, "mod", "download", "-json", database)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(answer, &module); err != nil {
		return "", err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	_, err = command(ctx, "run", indexer, "-vulns", filepath.Join(module.Dir, "data", "osv"), "-out", out)
	return out, err
}

// command runs go with arguments and returns its standard output.
func command(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	var failure bytes.Buffer
	c.Stderr = &failure
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(failure.Bytes()))
	}
	return out, nil
}

// finding is a vulnerable function that is called.
type finding struct {
	ID, Module, Version, Fixed, Summary string
}

// findings are the vulnerabilities of modules and of the standard library, without duplicates, in
// the checker's order.
type findings struct {
	modules, library []finding
}

// message is a message of the checker's stream:
// https://pkg.go.dev/golang.org/x/vuln/internal/govulncheck.
type message struct {
	OSV *struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	} `json:"osv"`
	Finding *struct {
		OSV   string `json:"osv"`
		Fixed string `json:"fixed_version"`
		Trace []struct {
			Module   string `json:"module"`
			Version  string `json:"version"`
			Function string `json:"function"`
		} `json:"trace"`
	} `json:"finding"`
}

// read reads the checker's stream. It skips vulnerabilities whose functions are not called.
func read(r io.Reader) (findings, error) {
	var f findings
	summaries, seen := map[string]string{}, map[string]bool{}
	for d := json.NewDecoder(r); ; {
		var m message
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return f, nil
		} else if err != nil {
			return f, fmt.Errorf("the checker's answer: %w", err)
		}
		if m.OSV != nil {
			summaries[m.OSV.ID] = m.OSV.Summary
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 || m.Finding.Trace[0].Function == "" || seen[m.Finding.OSV] {
			continue
		}
		seen[m.Finding.OSV] = true
		at := m.Finding.Trace[0]
		one := finding{ID: m.Finding.OSV, Module: at.Module, Version: at.Version, Fixed: m.Finding.Fixed, Summary: summaries[m.Finding.OSV]}
		if at.Module == "stdlib" {
			f.library = append(f.library, one)
		} else {
			f.modules = append(f.modules, one)
		}
	}
}

func (f findings) report(w io.Writer) error {
	for _, v := range f.library {
		fmt.Fprintf(w, "build with Go %s or later: %s, %s\n", v.Fixed[1:], v.ID, v.Summary)
	}
	for _, v := range f.modules {
		fmt.Fprintf(w, "%s %s, mended in %s: %s, %s\n", v.Module, v.Version, v.Fixed, v.ID, v.Summary)
	}
	if len(f.modules) > 0 {
		return fmt.Errorf("the program calls functions with %d known vulnerabilities", len(f.modules))
	}
	fmt.Fprintf(w, "no known vulnerability in the functions of modules that the program calls (%s)\n", database)
	return nil
}
