package arrowipc

// Node holds the length of a column or of a nested part, and its number of nulls. The order of
// nodes follows the schema; the buffers come after the nodes.
type Node struct{ Len, Nulls int64 }

// checkBatch checks a RecordBatch table (fields: length 0, nodes 1, buffers 2, compression 3,
// variadicBufferCounts 4) against the shapes of the columns. It sets the message's number of rows
// and, if columns is set, its nodes and buffers.
func checkBatch(f *Message, t table, fields []shape, lim Limits, columns bool) error {
	rows, err := t.scalar(0, 8, 0)
	if err != nil {
		return err
	}
	if rows < 0 {
		return badf("a batch says it has %d rows", rows)
	}
	if rows > lim.Rows {
		return limitf("a batch has %d rows; at most %d are allowed", rows, lim.Rows)
	}
	f.Rows = rows
	w := walk{body: f.Body, b: t.b, lim: lim}
	if w.nodes, w.nnodes, err = t.vector(1, 16); err != nil {
		return err
	}
	if w.buffers, w.nbuffers, err = t.vector(2, 16); err != nil {
		return err
	}
	if w.codec, err = codecOf(t); err != nil {
		return err
	}
	if w.variadic, w.nvariadic, err = t.vector(4, 8); err != nil {
		return err
	}
	if w.columns = columns; columns {
		w.foundNodes, w.foundBuffers = make([]Node, 0, w.nnodes), make([][]byte, 0, w.nbuffers)
	}
	for _, field := range fields {
		n, err := w.field(field)
		if err != nil {
			return err
		}
		if n != rows {
			return badf("a column has %d rows, its batch %d", n, rows)
		}
	}
	if w.node != w.nnodes || w.buffer != w.nbuffers {
		return badf("a batch has %d nodes and %d buffers; its schema needs %d and %d", w.nnodes, w.nbuffers, w.node, w.buffer)
	}
	if w.view != w.nvariadic {
		return badf("a batch counts the buffers of %d views; its schema has %d", w.nvariadic, w.view)
	}
	f.Nodes, f.Buffers, f.Views, f.Compressed, f.Decoded = w.foundNodes, w.foundBuffers, w.foundViews, w.codec != plain, w.decoded
	return nil
}

// walk steps through a batch's nodes and buffers in the schema's order.
type walk struct {
	b                buffer
	body             []byte
	lim              Limits
	codec            codec
	nodes, buffers   int64 // where they start
	nnodes, nbuffers int64 // their numbers
	node, buffer     int64 // the next one
	variadic         int64 // where the numbers of views' buffers start
	nvariadic, view  int64 // their number, and the index of the next
	decoded          int64 // bytes so far, once decompressed

	columns      bool // keep nodes and buffers
	foundNodes   []Node
	foundBuffers [][]byte
	foundViews   []int
}

// field consumes the nodes and buffers of one field and returns the field's length.
func (w *walk) field(s shape) (int64, error) {
	n, nulls, err := w.nextNode()
	if err != nil {
		return 0, err
	}
	if s.layout == nothing {
		// The length needs a bound of its own because nulls take no bytes.
		if n > w.lim.Rows {
			err = limitf("a column of nulls says it has %d values; at most %d are allowed", n, w.lim.Rows)
		}
		return n, err
	}
	if s.layout == runs {
		return n, w.runs(s, n)
	}
	if nulls > 0 {
		err = w.nextBuffer(bitBytes(n))
	} else {
		err = w.nextBuffer(0)
	}
	if err != nil {
		return 0, err
	}
	switch s.layout {
	case fixed:
		return n, w.nextBuffer(bitBytes(n * s.bits))
	case binaries:
		if err := w.nextBuffer(offsets(n, s)); err != nil {
			return 0, err
		}
		return n, w.nextBuffer(0)
	case lists:
		if err := w.nextBuffer(offsets(n, s)); err != nil {
			return 0, err
		}
	case binaryViews:
		return n, w.views(n)
	case views:
		for range 2 {
			if err := w.nextBuffer(n * s.bits / 8); err != nil {
				return 0, err
			}
		}
	}
	for _, c := range s.children {
		m, err := w.field(c)
		if err != nil {
			return 0, err
		}
		if s.layout == arrays && m < n*s.size || s.layout == structs && m < n {
			return 0, badf("a child has %d values; its %d parents need more", m, n)
		}
	}
	return n, nil
}

// views consumes the buffers of n text or binary views after the validity bitmap: the views and the
// buffers that they refer to.
func (w *walk) views(n int64) error {
	if err := w.nextBuffer(16 * n); err != nil {
		return err
	}
	if w.view >= w.nvariadic {
		return badf("a batch does not say how many buffers its views have")
	}
	count := w.b.i64(w.variadic + 8*w.view)
	w.view++
	if count < 0 || count > w.nbuffers-w.buffer {
		return badf("views have %d buffers; their batch has %d left", count, w.nbuffers-w.buffer)
	}
	if w.columns {
		w.foundViews = append(w.foundViews, int(count))
	}
	for range count {
		if err := w.nextBuffer(0); err != nil {
			return err
		}
	}
	return nil
}

// runs consumes the children of n run-end encoded values. The number needs a bound of its own
// because repeated values take no bytes.
func (w *walk) runs(s shape, n int64) error {
	if n > w.lim.Rows {
		return limitf("a run-end encoded column says it has %d values; at most %d are allowed", n, w.lim.Rows)
	}
	ends, err := w.field(s.children[0])
	if err != nil {
		return err
	}
	values, err := w.field(s.children[1])
	if err == nil && values < ends {
		err = badf("%d runs have %d values", ends, values)
	}
	return err
}

// offsets returns the size of n+1 offsets in bytes. A column without rows may have no offsets.
func offsets(n int64, s shape) int64 {
	if n == 0 {
		return 0
	}
	return (n + 1) * s.bits / 8
}

func bitBytes(bits int64) int64 { return (bits + 7) / 8 }

// nextNode reads a FieldNode {length, null_count}. The lengths of children are bounded by the
// decoded bytes, at no more than 8 values per byte.
func (w *walk) nextNode() (n, nulls int64, err error) {
	if w.node >= w.nnodes {
		return 0, 0, badf("a batch has %d nodes; its schema needs more", w.nnodes)
	}
	at := w.nodes + 16*w.node
	w.node++
	n, nulls = w.b.i64(at), w.b.i64(at+8)
	if n < 0 || n > maxLength || nulls < 0 || nulls > n {
		return 0, 0, badf("a column says it has %d values, %d of them null", n, nulls)
	}
	if w.columns {
		w.foundNodes = append(w.foundNodes, Node{n, nulls})
	}
	return n, nulls, nil
}

// maxLength keeps products of lengths and widths within 64 bits.
const maxLength = 1 << 31

// nextBuffer checks that the next Buffer {offset, length} lies within the body and, once
// decompressed, has at least need bytes.
func (w *walk) nextBuffer(need int64) error {
	if w.buffer >= w.nbuffers {
		return badf("a batch has %d buffers; its schema needs more", w.nbuffers)
	}
	at := w.buffers + 16*w.buffer
	w.buffer++
	off, n := w.b.i64(at), w.b.i64(at+8)
	if !buffer(w.body).within(off, n) {
		return badf("a buffer of %d bytes at %d lies outside a body of %d", n, off, len(w.body))
	}
	if w.columns {
		w.foundBuffers = append(w.foundBuffers, w.body[off:off+n:off+n])
	}
	size, err := w.codec.size(w.body[off:off+n], w.lim)
	if err != nil {
		return err
	}
	if size < need {
		return badf("a buffer has %d bytes; its column needs %d", size, need)
	}
	if w.decoded += size; w.decoded > w.lim.Decoded {
		return limitf("a batch takes more than %d bytes once decompressed", w.lim.Decoded)
	}
	return nil
}
