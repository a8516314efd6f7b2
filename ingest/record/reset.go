package record

// Reset empties a builder for the next message. A decoder that compiles a schema into
// nodes keeps the builder with what it has compiled, instead of giving it back. Root is
// another node afterwards if the names that messages made up became too many: nodes from
// before are of no use then.
func (b *Builder) Reset() { b.reset() }
