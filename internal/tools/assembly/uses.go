package assembly

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Use is a place in Go code that names a kernel.
type Use struct {
	File   string // without its folder
	Line   int
	Column int
	Test   bool // the file is a test, which coverage does not count
}

// Uses finds the uses of kernels in the Go files of their package, for linux and the kernels'
// architecture. The result is indexed by the kernels' names. Declarations without a body do not
// count.
func Uses(root, dir, arch string, kernels []Kernel) (map[string][]Use, error) {
	names := map[string]bool{}
	for _, k := range kernels {
		if k.Package == dir && k.Arch == arch {
			names[k.Name] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return nil, err
	}
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled, context.BuildTags = "linux", arch, false, nil
	uses := map[string][]Use{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" {
			continue
		}
		if ok, err := context.MatchFile(filepath.Join(root, dir), e.Name()); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, filepath.Join(root, dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncDecl); ok && f.Body == nil {
				return false
			}
			if id, ok := n.(*ast.Ident); ok && names[id.Name] {
				p := positions.Position(id.Pos())
				uses[id.Name] = append(uses[id.Name], Use{e.Name(), p.Line, p.Column, strings.HasSuffix(e.Name(), "_test.go")})
			}
			return true
		})
	}
	return uses, nil
}

// Block is a block of statements in a coverage profile.
type Block struct {
	File                 string // with the import path of its package
	Line, Column         int    // where it begins
	EndLine, EndColumn   int
	Statements, Executed int
}

var block = regexp.MustCompile(`^(\S+\.go):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// ParseBlock parses a line of a coverage profile. The first line of a profile, its mode, is not a
// block.
func ParseBlock(line string) (Block, error) {
	m := block.FindStringSubmatch(line)
	if m == nil {
		return Block{}, fmt.Errorf("%q is no line of a coverage profile", line)
	}
	b := Block{File: m[1]}
	for i, to := range []*int{&b.Line, &b.Column, &b.EndLine, &b.EndColumn, &b.Statements, &b.Executed} {
		v, err := strconv.Atoi(m[i+2])
		if err != nil {
			return Block{}, fmt.Errorf("%q: %w", line, err)
		}
		*to = v
	}
	return b, nil
}

// covers reports whether the block was executed and contains the use.
func (b Block) covers(dir string, u Use) bool {
	if b.Executed == 0 || !strings.HasSuffix(b.File, "/"+dir+"/"+u.File) {
		return false
	}
	after := b.Line < u.Line || b.Line == u.Line && b.Column <= u.Column
	before := u.Line < b.EndLine || u.Line == b.EndLine && u.Column < b.EndColumn
	return after && before
}

// Calls describes whether tests call a kernel.
type Calls int

const (
	// Never: no Go code names the kernel, or none that does was executed.
	Never Calls = iota
	// Benchmark: only test files name it, for which coverage does not show whether they called it.
	Benchmark
	// Executed: a block that calls it was executed.
	Executed
)

// Called determines whether a kernel was called, from the uses of its name and the coverage profile
// of its package's tests.
func Called(dir string, uses []Use, profile []Block) Calls {
	benchmark := len(uses) > 0
	for _, u := range uses {
		for _, b := range profile {
			if b.covers(dir, u) {
				return Executed
			}
		}
		benchmark = benchmark && u.Test
	}
	if benchmark {
		return Benchmark
	}
	return Never
}
