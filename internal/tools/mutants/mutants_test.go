package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The test compares f(2, 5, nil) of the original program with the result of each change.
const source = `package main

import "os"

type list []int

func f(a, b int, l list) (n int) {
	if l == nil { n += 1000 }
	_ = make([]int, 0, a+1)
	for i := 0; i < a; i++ { n++ }
	if a < b && (b >= 5 || len(l) > 0) { n = n*10 + 1 }
	switch {
	case a == 2:
		n -= 1
	}
	room := make([]int, 0, a+1)
	return n + (b - 1) + len(room)
}

func main() { os.Exit(f(2, 5, nil) % 251) }
`

// The program is built once and run with each change. Without a change it has the usual result;
// with a change it has another result, or does not end in time.
func TestEveryChange(t *testing.T) {
	dir := t.TempDir()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if build.Default.GOROOT == "" { // built with -trimpath
		root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		build.Default.GOROOT = strings.TrimSpace(string(root))
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("main", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	m := mutator{name: "main.go", source: []byte(source), fset: fset, info: info}
	text, sites := m.rewrite(file)
	// The program is in a folder of this module that exists only in an overlay, because it imports
	// an internal package.
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program, main, overlay := filepath.Join(dir, "program"), filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "small", "main.go"): main}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(main, text, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./small").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	run := func(k int) int {
		c := exec.Command(program)
		c.Env = append(os.Environ(), "UNFOLD_MUTANT="+strconv.Itoa(k))
		_ = c.Run()
		return c.ProcessState.ExitCode()
	}
	// ((1000 + 2)*10 + 1 - 1 + 5 - 1) mod 251
	usual := ((1000+2)*10 + 1 - 1 + 5 - 1) % 251
	if got := run(-1); got != usual {
		t.Fatalf("without a change %d, want %d\n%s", got, usual, text)
	}
	kinds := map[string]int{}
	for k, s := range sites {
		kinds[s.Kind]++
		switch got := run(k); {
		case s.Text == "a < b" || s.Text == "len(l) > 0": // not at the edge, or not evaluated
			if got != usual {
				t.Errorf("%s: %d, want %d", s, got, usual)
			}
		case got == usual && s.Text != "a < b && (b >= 5 || len(l) > 0)":
			t.Errorf("%s: the result is the usual one\n%s", s, text)
		}
	}
	for kind, n := range map[string]int{"negated": 1, "dropped": 4, "0 for 1": 2, "|| for &&": 1, "&& for ||": 1, "<= for <": 2, "> for >=": 1, ">= for >": 1} {
		if kinds[kind] != n {
			t.Errorf("%d changes %q, want %d: %v", kinds[kind], kind, n, sites)
		}
	}
}

func TestDraw(t *testing.T) {
	for _, c := range []struct {
		all, n int
		want   string
	}{{5, 0, "01234"}, {5, 9, "01234"}, {10, 5, "02468"}, {0, 3, ""}} {
		var got strings.Builder
		for _, k := range draw(c.all, c.n, 0) {
			got.WriteString(strconv.Itoa(k))
		}
		if got.String() != c.want {
			t.Errorf("%d of %d: %s, want %s", c.n, c.all, &got, c.want)
		}
	}
	drawn := draw(1000, 20, 7)
	if len(drawn) != 20 || !slices.IsSorted(drawn) || len(slices.Compact(slices.Clone(drawn))) != 20 || drawn[19] >= 1000 {
		t.Errorf("20 of 1000 by a seed: %v", drawn)
	}
	if !slices.Equal(drawn, draw(1000, 20, 7)) || slices.Equal(drawn, draw(1000, 20, 8)) || len(draw(5, 9, 7)) != 5 || len(draw(5, 0, 7)) != 5 {
		t.Error("a draw does not follow from its seed")
	}
}
