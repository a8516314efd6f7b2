package record

import (
	"strings"
	"sync"
)

// Layout makes builders for a Spec. It is safe for concurrent use.
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

// Spec returns the layout's spec.
func (l *Layout) Spec() Spec { return l.spec }

// Builder returns an empty builder for one message. Call Release after use.
func (l *Layout) Builder() *Builder { return l.pool.Get().(*Builder) }

// Release returns a builder to the pool. It must not be used afterwards.
func (l *Layout) Release(b *Builder) {
	b.reset()
	l.pool.Put(b)
}

// Join returns the dotted path of a field below another; the record itself has path "".
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Node is a field of a record, with the fields below it. A nil Node is a field that is not
// requested; its children are nil.
type Node struct {
	b        *Builder
	path     string
	children map[string]*Node
	// any is set if all fields below are requested.
	any    bool
	pinned Type
	// message is the last message that had the field, object the last object in it, see Once.
	message, object uint64
	// field is the column, nil before the first value and if no column is requested.
	field  *field
	wanted bool
	mark   mark
}

// Child returns the node of a field below n, nil if it is not requested. The name is copied.
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

// Wanted reports whether the value itself is requested, as a column or because it is one of
// Debezium's marks. Below reports whether a field within it may be.
func (n *Node) Wanted() bool { return n != nil && (n.wanted || n.mark != markNone) }

// Below is described at Wanted.
func (n *Node) Below() bool { return n != nil && (n.any || len(n.children) > 0) }

// Named reports whether the value is requested by its own name.
func (n *Node) Named() bool { return n != nil && n.wanted && !n.any }

// ID reports whether the value is the record's id.
func (n *Node) ID() bool { return n != nil && n.path != "" && n.path == n.b.spec.ID }

// Pinned returns the type set for the column.
func (n *Node) Pinned() Type {
	if n == nil {
		return Auto
	}
	return n.pinned
}

// Sparse reports whether the value may be a sparse vector. A value requested by name without a type
// is passed on as it is.
func (n *Node) Sparse() bool {
	return n.Pinned() == Vector || n.Pinned() == Sparse || n.Pinned() == Auto && !n.Named()
}

// Once reports whether the field occurs for the first time in an object. The caller numbers the
// objects of a message from 1.
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

// grow adds a child to a node for which all fields are requested.
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

// want adds the nodes for a dotted path, and one for the whole path as a single name.
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
