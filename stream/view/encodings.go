package view

// encodings holds the encoded data outside the log: parts of the full state, and dumps. Each is
// made once and shared by all requests for the same state. The total size is bounded, however many
// and however slow the readers. Data that nobody is sending is evicted; if that is not enough,
// readers wait and dumps are refused. All methods need the hub's lock.
type encodings struct {
	most int
	// held is the total size of parts, of dumps, and of messages that left the log or were replaced
	// while readers are still sending them.
	held int
	// changes counts changes of the points.
	changes uint64
	// parts holds parts of the full state by their first slot. rows is the number of slots of a
	// part, usual the size of the last part in bytes.
	parts map[int]*part
	rows  int
	usual int
	dump  *Dump
	// perPoint is the size in bytes per point of the last dump.
	perPoint int
	// awaited is set while a reader waits for room.
	awaited bool
}

// Sizes of parts in bytes and slots. Parts are small, so that slow readers that send different ones
// hold little memory. leastRows bounds the overhead per message.
const (
	partBytes = 512 << 10
	leastRows = 64
)

// EncodedBytes allows encodedPoint bytes for each point, for both encodings, and at least
// leastEncoded.
const (
	encodedPoint = 128
	leastEncoded = 64 << 20
)

// EncodedBytes returns the default limit, in bytes, on the encodings of a hub with this number of
// points.
func EncodedBytes(points int) int { return max(leastEncoded, encodedPoint*points) }

// share counts the holders of a message's bytes.
type share struct {
	bytes, flights int
	// kept is set while the log or the parts hold the bytes as well.
	kept bool
}

// part is a part of the full state: the message, the slot after its last, and the log's end and
// total bytes when the part was made.
type part struct {
	Message
	to    int
	at    uint64
	total int
}

func newEncodings(most int) encodings {
	return encodings{most: most, parts: map[int]*part{}, rows: frameRows, usual: partBytes, perPoint: encodedPoint / 2}
}

// room makes room for n more bytes and reports whether it succeeded.
func (e *encodings) room(n int) bool {
	if e.held+n <= e.most {
		return true
	}
	if d := e.dump; d != nil && d.users == 0 {
		e.drop()
	}
	for from, p := range e.parts {
		if e.held+n <= e.most {
			return true
		}
		if p.share.flights == 0 {
			e.evict(from)
		}
	}
	return e.held+n <= e.most || e.held == 0
}

// evict drops a part. Its bytes count until it is no longer being sent.
func (e *encodings) evict(from int) {
	p := e.parts[from]
	delete(e.parts, from)
	p.share.kept = false
	if p.share.flights == 0 {
		e.held -= p.share.bytes
	}
}

// store stores an encoding under a key, and evicts the previous one.
func (e *encodings) store(key int, p *part) {
	if _, there := e.parts[key]; there {
		e.evict(key)
	}
	p.share = &share{bytes: len(p.Data), kept: true}
	e.held += p.share.bytes
	e.parts[key] = p
}

// keep stores a new part. If it is too large, later parts have fewer rows.
func (e *encodings) keep(from int, p *part) {
	e.store(from, p)
	e.usual = len(p.Data)
	if len(p.Data) > partBytes {
		// The rows are wide. When the number of rows per part is halved, parts still begin at the
		// same slots.
		e.rows = max(e.rows/2, leastRows)
	}
}

// outdate records a change after which no reader may start with the existing parts.
func (e *encodings) outdate() {
	e.changes++
	e.clear()
}

// clear drops all parts.
func (e *encodings) clear() {
	for from := range e.parts {
		e.evict(from)
	}
}

// begin records that a reader starts to send the message, which may have left the log meanwhile.
func (e *encodings) begin(s *share) { s.flights++ }

// end records that a reader has sent the message. It reports whether another reader waits for the
// room that became free.
func (e *encodings) end(s *share) (awaited bool) {
	if s.flights--; s.flights > 0 {
		return false
	}
	if !s.kept {
		e.held -= s.bytes
	}
	return e.awaited
}

// left records that a message has left the log.
func (e *encodings) left(s *share) {
	if s == nil || !s.kept {
		return
	}
	if s.kept = false; s.flights > 0 {
		e.held += s.bytes
	}
}
