package main

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source rewrites the imports of a Go file, and its literals that name packages.
func (r *renaming) source(path string, before []byte) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, before, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	imports := map[*ast.BasicLit]bool{}
	for _, i := range f.Imports {
		imports[i.Path] = true
	}
	var found []literal
	ast.Inspect(f, func(n ast.Node) bool {
		lit, is := n.(*ast.BasicLit)
		if !is || lit.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(lit.Value)
		if err != nil {
			return true // the parser rejects invalid literals
		}
		name, is := r.path(value)
		if is && (imports[lit] || r.aPackage(value)) {
			at := files.Position(lit.Pos()).Offset
			found = append(found, literal{at, at + len(lit.Value), quoted(name, lit.Value[0])})
		}
		return true
	})
	if len(found) == 0 {
		return before, nil
	}
	return format.Source(splice(before, found))
}

// literal is a range of a file and its replacement.
type literal struct {
	from, to int
	text     string
}

// quoted quotes a path with the given quote.
func quoted(name string, quote byte) string {
	if quote == '`' {
		return "`" + name + "`"
	}
	return strconv.Quote(name)
}

// splice replaces literals in a file.
func splice(before []byte, found []literal) []byte {
	slices.SortFunc(found, func(a, b literal) int { return cmp.Compare(a.from, b.from) })
	out, at := new(bytes.Buffer), 0
	for _, l := range found {
		out.Write(before[at:l.from])
		out.WriteString(l.text)
		at = l.to
	}
	out.Write(before[at:])
	return out.Bytes()
}

// aPackage reports whether a text begins with the path of a package in one of the top folders, for
// example unfold/ingest.Decoder but not unfold/anything.
func (r *renaming) aPackage(text string) bool {
	rest, is := strings.CutPrefix(text, r.from+"/")
	if !is {
		return false
	}
	if rest == "..." {
		return true
	}
	return slices.ContainsFunc(r.tops, func(top string) bool {
		end, is := strings.CutPrefix(rest, top)
		return is && (end == "" || end[0] == '/' || end[0] == '.')
	})
}

// text rewrites package names in pages, scripts and configuration files. They follow a quotation
// mark, a bracket, an equals sign or a blank. It also rewrites the library's path where it is
// imported or fetched.
func (r *renaming) text(_ string, before []byte) ([]byte, error) {
	from := regexp.QuoteMeta(r.from)
	tops := make([]string, len(r.tops))
	for i, top := range r.tops {
		tops[i] = regexp.QuoteMeta(top)
	}
	packages := regexp.MustCompile("(^|[\\s\"'`(=])" + from + "(/(?:" + strings.Join(tops, "|") + ")(?:[\\s\"'`)/.@]|$))")
	library := regexp.MustCompile(`(\bimport (?:[a-z]+ )?"|\bgo (?:get|doc|install) )` + from + `(["@\s])`)
	to := strings.ReplaceAll(r.to, "$", "$$")
	after := packages.ReplaceAll(before, []byte("${1}"+to+"${2}"))
	return library.ReplaceAll(after, []byte("${1}"+to+"${2}")), nil
}
