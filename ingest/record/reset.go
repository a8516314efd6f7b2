package record

// Reset empties a builder for the next message. It is for decoders that compile a schema to nodes
// and keep the builder with them instead of releasing it. If messages have added too many names
// Root changes, and earlier nodes can no longer be used.
func (b *Builder) Reset() { b.reset() }
