package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shapeRow matches a type that an event passes through, and the function that makes it.
var shapeRow = regexp.MustCompile(`(?m)^//\t([A-Za-z.]+) {2,}\S.* {2,}([A-Za-z.]+)$`)

// folderOf has the folders of the packages that stream/doc.go names.
var folderOf = map[string]string{"": "stream", "embed": "stream/embed", "ingest": "ingest", "emit": "ingest/emit"}

// TestEventsHaveTheirShapes checks the table of stream/doc.go: each type exists, and the function
// named beside it returns it.
func TestEventsHaveTheirShapes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "stream/doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "# The shapes of an event")
	table, _, _ = strings.Cut(table, "// # ")
	rows := shapeRow.FindAllStringSubmatch(table, -1)
	if len(rows) != 6 {
		t.Fatalf("%d rows of shapes, expected six", len(rows))
	}
	for _, row := range rows {
		folder, shape := place(row[1], 1)
		if !declared(t, folder)[shape] {
			t.Errorf("package %s has no type %s", folder, shape)
		}
		folder, function := place(row[2], 2)
		results := resultsOf(t, folder, function)
		if shape == "Message" && strings.Contains(results, "Run") {
			continue // the messages of one fetch
		}
		if !strings.Contains(results, shape) {
			t.Errorf("%s returns %q, not a %s", row[2], results, row[1])
		}
	}
}

// place returns the folder of a name of n parts after its package, and these parts.
func place(name string, n int) (folder, rest string) {
	parts := strings.Split(name, ".")
	return folderOf[strings.Join(parts[:len(parts)-n], ".")], strings.Join(parts[len(parts)-n:], ".")
}

// resultsOf returns the types of the results of a method of a type or an interface, as text.
func resultsOf(t *testing.T, folder, method string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	add := func(f *ast.FuncType) {
		if f.Results == nil {
			return
		}
		for _, r := range f.Results.List {
			results = append(results, types.ExprString(r.Type))
		}
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if funcName(n) == method {
					add(n.Type)
				}
				return false
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						if f, ok := m.Type.(*ast.FuncType); ok && n.Name.Name+"."+m.Names[0].Name == method {
							add(f)
						}
					}
				}
			}
			return true
		})
	}
	return strings.Join(results, ", ")
}
