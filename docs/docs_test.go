// Package docs_test compares the documentation with the code: every function and test that a page
// names exists, and no numbered equation of the paper is left out.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = ".."

// declared collects the names that a folder's Go files declare, in tests too.
func declared(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		maps.Copy(names, declaredIn(t, file))
	}
	return names
}

// declaredIn collects the names that a Go file declares: F for a function, T for a
// type, T.M for a method or a field.
func declaredIn(t *testing.T, file string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return names
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[funcName(d)] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok {
					names[ts.Name.Name] = true
					addFields(names, ts)
				}
			}
		}
	}
	return names
}

// addFields adds T.Field for the fields of struct type T.
func addFields(names map[string]bool, ts *ast.TypeSpec) {
	st, ok := ts.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			names[ts.Name.Name+"."+n.Name] = true
		}
	}
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	if s, ok := typ.(*ast.StarExpr); ok {
		typ = s.X
	}
	if x, ok := typ.(*ast.IndexExpr); ok {
		typ = x.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// code matches `folder/of/package.Name` or `folder.Type.Method` in a page.
var code = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.([A-Za-z][A-Za-z0-9]*(?:\\.[A-Za-z][A-Za-z0-9]*)?)`")

// TestPagesNameWhatExists checks every `package.Name` of README.md and of the pages of docs.
func TestPagesNameWhatExists(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"decisions", "recipes", "reference"} {
		more, err := filepath.Glob(folder + "/*.md")
		if err != nil || len(more) == 0 {
			t.Fatalf("no pages in %s: %v", folder, err)
		}
		pages = append(pages, more...)
	}
	pages = append(pages, filepath.Join(root, "README.md"))
	known := map[string]map[string]bool{}
	checked := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			folder, name := m[1], m[2]
			if st, err := os.Stat(filepath.Join(root, folder)); err != nil || !st.IsDir() {
				continue // a file name or a key, not a package
			}
			if known[folder] == nil {
				known[folder] = declared(t, folder)
			}
			checked++
			if !known[folder][name] {
				t.Errorf("%s names %s.%s, which does not exist", page, folder, name)
			}
		}
	}
	if checked == 0 {
		t.Fatal("no page names a function")
	}
	t.Logf("%d names checked", checked)
}

// TestEveryEquationHasItsRow checks that docs/reference/equations.md has a row, with a
// function and a test, for each of the paper's equations 1 to 26, the
// supplement's 1 to 44, those of heavy tails, H 1 to 12, of expectation
// propagation, S 1 to 35, of Gaussian processes, G 1 to 28, and of locally
// linear maps, P 1 to 80.
func TestEveryEquationHasItsRow(t *testing.T) {
	text, err := os.ReadFile("reference/equations.md")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 6 || len(code.FindAllString(cells[3], -1)) == 0 || !strings.Contains(cells[4], "Test") {
			continue
		}
		for _, eq := range expand(strings.TrimSpace(cells[1])) {
			has[eq] = true
		}
	}
	for n := 1; n <= 26; n++ {
		if !has[fmt.Sprint("eq ", n)] {
			t.Errorf("docs/reference/equations.md has no complete row for eq %d", n)
		}
	}
	for n := 1; n <= 20; n++ {
		if !has[fmt.Sprint("H ", n)] {
			t.Errorf("docs/reference/equations.md has no complete row for H %d", n)
		}
	}
	for n := 1; n <= 35; n++ {
		if !has[fmt.Sprint("S ", n)] {
			t.Errorf("docs/reference/equations.md has no complete row for S %d", n)
		}
	}
	for n := 1; n <= 28; n++ {
		if !has[fmt.Sprint("G ", n)] {
			t.Errorf("docs/reference/equations.md has no complete row for G %d", n)
		}
	}
	for n := 1; n <= 80; n++ {
		if !has[fmt.Sprint("P ", n)] {
			t.Errorf("docs/reference/equations.md has no complete row for P %d", n)
		}
	}
	for n := 1; n <= 44; n++ {
		if !has[fmt.Sprint("SM ", n)] {
			t.Errorf("docs/reference/equations.md has no complete row for SM %d", n)
		}
	}
}

// expand turns "eq 3, 4" or "SM 7-10" into single equations.
func expand(cell string) []string {
	kind, list, ok := strings.Cut(cell, " ")
	if !ok || (kind != "eq" && kind != "SM" && kind != "H" && kind != "S" && kind != "G" && kind != "P") {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		var a, b int
		part = strings.TrimSpace(part)
		if n, _ := fmt.Sscanf(part, "%d-%d", &a, &b); n < 2 {
			if n, _ := fmt.Sscanf(part, "%d", &a); n < 1 {
				continue
			}
			b = a
		}
		for e := a; e <= b; e++ {
			out = append(out, fmt.Sprint(kind, " ", e))
		}
	}
	return out
}

// TestLinksLead checks that relative links and pictures of the pages exist, and the headings that
// links to pages name.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "out" || d.Name() == "fixtures" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to := filepath.Join(filepath.Dir(path), m[1])
			if m[1] == "" {
				to = path
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, m[1])
			} else if heading := strings.TrimPrefix(m[2], "#"); heading != "" && !anchors(readPage(t, to))[heading] {
				t.Errorf("%s links to %s of %s, which has no such heading", path, heading, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryFigureIsExplained compares docs/reference/prometheus.md with the metrics that
// /metrics serves: each is explained, and each explained one is served.
func TestEveryFigureIsExplained(t *testing.T) {
	page, err := os.ReadFile("reference/prometheus.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "cmd", "internal", "metrics", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	served := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:counters?|gauges?|histogram)\("([a-z_]+)"|"unfold_([a-z_]+[a-z])"|\{"((?:map_|reference_|class|cluster|labelled_)[a-z_]+)"|\{"([a-z_]+)", "[a-z_]+", [0-9]+\}`).FindAllStringSubmatch(string(source), -1) {
		served["unfold_"+m[1]+m[2]+m[3]+m[4]] = true
	}
	if len(served) < 10 {
		t.Fatalf("found only %d figures in the source", len(served))
	}
	explained := map[string]bool{}
	for _, name := range regexp.MustCompile(`unfold_[a-z_]+`).FindAllString(string(page), -1) {
		explained[name] = true
		if !served[name] {
			t.Errorf("%s is explained, but not served", name)
		}
	}
	for name := range served {
		if !explained[name] {
			t.Errorf("%s is served, but docs/reference/prometheus.md does not explain it", name)
		}
	}
}

// TestExtendingNamesFiles checks that the files exist that docs/extending.md names.
func TestExtendingNamesFiles(t *testing.T) {
	text, err := os.ReadFile("extending.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("`([a-z]+(?:/[a-z_]+)+(?:\\.[a-z]+)?)`").FindAllStringSubmatch(string(text), -1)
	for _, m := range found {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("docs/extending.md names %s, which does not exist", m[1])
		}
	}
	if len(found) < 30 {
		t.Errorf("docs/extending.md names only %d files", len(found))
	}
}

// TestEveryDependencyHasItsReason holds docs/dependencies.md to go.mod: each
// direct requirement is named there.
func TestEveryDependencyHasItsReason(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := 0
	for _, m := range regexp.MustCompile(`(?m)^\t([^\s]+) v[^\s]+$`).FindAllStringSubmatch(string(mod), -1) {
		direct++
		if !strings.Contains(string(page), m[1]) {
			t.Errorf("go.mod requires %s, and docs/dependencies.md does not say why", m[1])
		}
	}
	if direct == 0 {
		t.Fatal("go.mod has no direct requirement")
	}
}

// TestDecisionsAreListed holds docs/decisions/README.md to the pages beside it.
func TestDecisionsAreListed(t *testing.T) {
	list, err := os.ReadFile("decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "README.md" && !strings.Contains(string(list), "]("+name+")") {
			t.Errorf("docs/decisions/README.md does not list %s", name)
		}
	}
}

// TestGlossaryNamesTheCode checks that every term of docs/glossary.md has a name in the code, which
// TestPagesNameWhatExists looks up.
func TestGlossaryNamesTheCode(t *testing.T) {
	terms := 0
	for _, line := range strings.Split(readPage(t, "glossary.md"), "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.HasPrefix(line, "| term") {
			continue
		}
		if terms++; !code.MatchString(cells[2]) {
			t.Errorf("%s has no name in the code", cells[0])
		}
	}
	if terms < 15 {
		t.Errorf("the glossary has %d terms", terms)
	}
}
