package record

import (
	"strings"
	"sync"
)

// Layout makes builders of what a Spec wants. It is safe for concurrent use.
type Layout struct {
	spec Spec
	pool sync.Pool
}

// NewLayout returns the layout of a spec.
func NewLayout(s Spec) *Layout {
	s.Limits = s.Limits.Filled()
	l := &Layout{spec: s}
	l.pool.New = func() any { return newBuilder(&l.spec) }
	return l
}

// Limits returns the limits with their defaults.
func (l *Layout) Limits() Limits { return l.spec.Limits }

// Spec returns what is wanted.
func (l *Layout) Spec() Spec { return l.spec }

// Builder returns an empty builder, for one message. Release gives it back.
func (l *Layout) Builder() *Builder { return l.pool.Get().(*Builder) }

// Release gives a builder back; it must not be used any more.
func (l *Layout) Release(b *Builder) {
	b.reset()
	l.pool.Put(b)
}

// Join is the dotted path of a field below another; that of the record itself is "".
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Node is a place in records: a field, and what lies below it. A nil Node is one that
// nobody wants; its children are nil.
type Node struct {
	b        *Builder
	path     string
	children map[string]*Node
	// any: all that comes below is wanted.
	any    bool
	pinned Type
	// message is the last one that had the field, object the last object of it, see Once.
	message, object uint64
	// field is the column; nil before the first value, and where none is wanted.
	field  *field
	wanted bool
	mark   mark
}

// Child returns the node of a field below n, nil if nobody wants it. The name is copied.
func (n *Node) Child(name []byte) *Node {
	if n == nil {
		return nil
	}
	c := n.children[string(name)]
	if !n.any || c != nil && c.message == n.b.message {
		return c
	}
	if !n.b.meet(len(n.path) + len(name)) {
		return nil
	}
	if c == nil {
		c = n.grow(string(name))
	}
	c.message = n.b.message
	return c
}

// Wanted reports whether the value itself is wanted, as a column or as a mark of Debezium's, Below whether anything inside it may
// be.
func (n *Node) Wanted() bool { return n != nil && (n.wanted || n.mark != markNone) }

// Below is described at Wanted.
func (n *Node) Below() bool { return n != nil && (n.any || len(n.children) > 0) }

// Named reports whether the value itself is wanted by name, not only because all is.
func (n *Node) Named() bool { return n != nil && n.wanted && !n.any }

// ID reports whether the value is the record's id.
func (n *Node) ID() bool { return n != nil && n.path != "" && n.path == n.b.spec.ID }

// Pinned is the type that the column is pinned to.
func (n *Node) Pinned() Type {
	if n == nil {
		return Auto
	}
	return n.pinned
}

// Sparse reports whether the value may be a sparse vector. What is wanted by name and pinned to
// nothing is passed on as it came.
func (n *Node) Sparse() bool {
	return n.Pinned() == Vector || n.Pinned() == Sparse || n.Pinned() == Auto && !n.Named()
}

// Once reports whether a field comes for the first time in an object. Objects are numbered
// by the caller from 1 on, in a message; those of other messages do not count.
func (n *Node) Once(object uint64) bool {
	if n == nil {
		return true
	}
	object |= n.b.message << 32
	if n.object == object {
		return false
	}
	n.object = object
	return true
}

// Path is the column's name.
func (n *Node) Path() string { return n.path }

// grow adds a child where all there is is wanted.
func (n *Node) grow(name string) *Node {
	c := n.add(name)
	c.any, c.wanted = true, true
	n.b.grown++
	n.b.names += len(c.path)
	return c
}

// add adds a child.
func (n *Node) add(name string) *Node {
	path := Join(n.path, name)
	c := &Node{b: n.b, path: path, pinned: n.b.spec.pinned(path)}
	if n.b.spec.Changes {
		c.mark = markOf(path)
	}
	if n.children == nil {
		n.children = map[string]*Node{}
	}
	n.children[name] = c
	return c
}

// want adds the nodes of a dotted path, and of its whole as one name.
func (n *Node) want(path string) {
	at := n
	for _, name := range strings.Split(path, ".") {
		next := at.children[name]
		if next == nil {
			next = at.add(name)
		}
		at = next
	}
	at.wanted = true
	if strings.Contains(path, ".") && n.children[path] == nil {
		// Both lead to one column.
		n.add(path).wanted = true
	}
}
