package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A site is a small change that can be switched on.
type site struct {
	File string
	Line int
	Func string // name of the function, empty outside of functions
	Kind string // kind of change
	Text string // the expression or statement that changes
}

func (s site) String() string { return fmt.Sprintf("%s:%d: %s: %s", s.File, s.Line, s.Kind, s.Text) }

// switches is the package that switches changes on.
const switches = "unfold/internal/tools/mutants/mutant"

// edge maps a comparison to the one that differs at equality.
var edge = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

// edit inserts text at an offset of the source, in place of the bytes up to end.
type edit struct {
	at, end int
	text    string
}

// mutator finds the sites of a file and writes the source with all of them.
type mutator struct {
	name   string
	source []byte
	fset   *token.FileSet
	info   *types.Info
	first  int    // number of the file's first site
	within string // name of the function being visited, empty outside of functions
	sites  []site
	edits  []edit
}

// rewrite returns the source with a switch at every site, and the sites.
func (m *mutator) rewrite(file *ast.File) ([]byte, []site) {
	for _, d := range file.Decls {
		m.within = ""
		if f, ok := d.(*ast.FuncDecl); ok {
			m.within = f.Name.Name
		}
		ast.Inspect(d, m.visit)
	}
	if len(m.sites) == 0 {
		return nil, nil
	}
	at := m.offset(file.Name.End())
	m.edits = append(m.edits, edit{at, at, fmt.Sprintf("; import mutant_ %q", switches)})
	// Insertions at the same offset keep their order: an outer prefix was added before an inner
	// one.
	slices.SortStableFunc(m.edits, func(a, b edit) int { return a.at - b.at })
	var out []byte
	from := 0
	for _, e := range m.edits {
		out = append(append(out, m.source[from:e.at]...), e.text...)
		from = e.end
	}
	return append(out, m.source[from:]...), m.sites
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // neither constants, types nor imports
	case *ast.CallExpr:
		if at := capacity(n); at >= 0 { // only time and memory depend on it
			for i, arg := range n.Args {
				if i != at {
					ast.Inspect(arg, m.visit)
				}
			}
			return false
		}
	case *ast.IfStmt:
		m.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			m.negate(n.Cond)
		}
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.BlockStmt:
		m.drop(n.List)
	case *ast.CaseClause:
		m.drop(n.Body)
	case *ast.CommClause:
		m.drop(n.Body)
	}
	return true
}

// negate negates conditions, except comparisons of sizes, which are changed at their edge.
func (m *mutator) negate(condition ast.Expr) {
	if b, ok := condition.(*ast.BinaryExpr); ok && (edge[b.Op] != "" || b.Op == token.LAND || b.Op == token.LOR) || m.constant(condition) {
		return
	}
	k := m.add(condition, "negated")
	m.around(condition, fmt.Sprintf("mutant_.Not(%d, ", k), ")")
}

func (m *mutator) binary(b *ast.BinaryExpr) {
	if m.constant(b) {
		return
	}
	x, y := m.text(b.X), m.text(b.Y)
	switch {
	case edge[b.Op] != "" && pure(b.X) && pure(b.Y):
		k := m.add(b, edge[b.Op]+" for "+b.Op.String())
		m.around(b, fmt.Sprintf("mutant_.Or(%d, ", k), fmt.Sprintf(", %s %s %s)", x, edge[b.Op], y))
	case b.Op == token.LAND || b.Op == token.LOR:
		other := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[b.Op]
		if b.Op == token.LAND && guards(b.X) {
			return // without the guard the other operand panics, which any test sees
		}
		k := m.add(b, other+" for "+b.Op.String())
		m.around(b, fmt.Sprintf("(mutant_.On(%d) && (%s %s %s) || !mutant_.On(%d) && (", k, x, other, y, k), "))")
	case b.Op == token.ADD || b.Op == token.SUB:
		one, ok := b.Y.(*ast.BasicLit)
		basic, isBasic := m.info.TypeOf(b).(*types.Basic)
		if !ok || one.Value != "1" || !isBasic || basic.Info()&types.IsInteger == 0 {
			return
		}
		k := m.add(b, "0 for 1")
		m.edits = append(m.edits, edit{m.offset(one.Pos()), m.offset(one.End()), fmt.Sprintf("%s(mutant_.One(%d))", basic.Name(), k)})
	}
}

// drop makes statements conditional that are only executed for their effect.
func (m *mutator) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if !ok || kept(call) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
			if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		k := m.add(s, "dropped")
		m.around(s, fmt.Sprintf("if !mutant_.On(%d) { ", k), " }")
	}
}

// add appends a site and returns its number.
func (m *mutator) add(n ast.Node, kind string) int {
	text := strings.Join(strings.Fields(m.text(n)), " ")
	if len(text) > 80 {
		text = text[:77] + "..."
	}
	m.sites = append(m.sites, site{m.name, m.fset.Position(n.Pos()).Line, m.within, kind, text})
	return m.first + len(m.sites) - 1
}

// around inserts text before and after a node. Nodes are visited from the outside, so that an inner
// prefix comes after an outer one; suffixes are in the reverse order.
func (m *mutator) around(n ast.Node, before, after string) {
	at, end := m.offset(n.Pos()), m.offset(n.End())
	m.edits = append(m.edits, edit{at, at, before})
	i := slices.IndexFunc(m.edits, func(e edit) bool { return e.at == end && e.end == end })
	if i < 0 {
		i = len(m.edits)
	}
	m.edits = slices.Insert(m.edits, i, edit{end, end, after})
}

func (m *mutator) offset(p token.Pos) int { return m.fset.Position(p).Offset }

func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.offset(n.Pos()):m.offset(n.End())])
}

func (m *mutator) constant(e ast.Expr) bool { return m.info.Types[e].Value != nil }

// pure reports whether an expression may be evaluated twice, which is so if it calls only len and
// cap.
func pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, named := n.Fun.(*ast.Ident)
			ok = ok && named && (id.Name == "len" || id.Name == "cap")
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

// capacity returns the index of the argument that only affects unused memory, -1 for none: the
// capacity of make, or the growth of slices.Grow.
func capacity(c *ast.CallExpr) int {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		if f.Name == "make" && len(c.Args) == 3 {
			return 2
		}
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.Ident); ok && of.Name == "slices" && f.Sel.Name == "Grow" {
			return 1
		}
	}
	return -1
}

// guards reports whether a condition is a comparison with nil that protects the operand after it.
func guards(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	id, ok := b.Y.(*ast.Ident)
	return ok && id.Name == "nil"
}

// kept reports whether a call must not be dropped. The compiler requires calls that end a function;
// the effect of a missing lock is random; and preallocation does not affect results.
func kept(c *ast.CallExpr) bool {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name == "panic"
	case *ast.SelectorExpr:
		switch f.Sel.Name {
		case "Exit", "Lock", "Unlock", "RLock", "RUnlock", "Reserve", "Grow":
			return true
		}
	}
	return false
}
