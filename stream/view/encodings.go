package view

// encodings holds what is encoded for readers beside the log: parts of the whole and dumps. Each is
// made once and shared by all who ask for the same state. The bytes are bounded, whoever reads and
// however slowly: what nobody is sending makes room, and where that is too little, readers wait and
// dumps are refused. The hub's lock is held in all methods.
type encodings struct {
	most int
	// held is the sum of the bytes of parts, of dumps, and of messages that left the log or were
	// replaced while readers are still sending them.
	held int
	// changes counts changes of the points.
	changes uint64
	// parts of the whole by their first slot; rows is how many slots one has, usual the bytes of
	// the last one.
	parts map[int]*part
	rows  int
	usual int
	dump  *Dump
	// perPoint is how many bytes a point of the last dump took.
	perPoint int
	// awaited says that a reader waits for room.
	awaited bool
}

// Sizes of parts, in bytes and slots: small enough that slow readers which send different ones hold
// little. leastRows bounds the overhead of a message.
const (
	partBytes = 512 << 10
	leastRows = 64
)

// Bytes that EncodedBytes counts for each point, of both encodings, and at least.
const (
	encodedPoint = 128
	leastEncoded = 64 << 20
)

// EncodedBytes is how many bytes of encodings a hub of so many points holds at most.
func EncodedBytes(points int) int { return max(leastEncoded, encodedPoint*points) }

// share counts who holds a message's bytes.
type share struct {
	bytes, flights int
	// kept says that the log or the parts hold them, too.
	kept bool
}

// part is a part of the whole: a message, the slot behind its last, and the log's end and bytes when
// it was made.
type part struct {
	Message
	to    int
	at    uint64
	total int
}

func newEncodings(most int) encodings {
	return encodings{most: most, parts: map[int]*part{}, rows: frameRows, usual: partBytes, perPoint: encodedPoint / 2}
}

// room makes room for n more bytes, and reports whether there is.
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

// evict drops a part; its bytes count on while somebody sends them.
func (e *encodings) evict(from int) {
	p := e.parts[from]
	delete(e.parts, from)
	p.share.kept = false
	if p.share.flights == 0 {
		e.held -= p.share.bytes
	}
}

// keep keeps a new part.
func (e *encodings) keep(from int, p *part) {
	if _, there := e.parts[from]; there {
		e.evict(from)
	}
	e.usual = len(p.Data)
	p.share = &share{bytes: len(p.Data), kept: true}
	e.held += p.share.bytes
	e.parts[from] = p
	if len(p.Data) > partBytes {
		// Slots of wide rows: halves begin at the same slots.
		e.rows = max(e.rows/2, leastRows)
	}
}

// outdate notes a change after which nobody may begin with the parts that there are.
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

// begin notes that a reader sends a message, which may have left the log since.
func (e *encodings) begin(s *share) { s.flights++ }

// end notes that a reader has sent a message, and reports whether a reader waits for the room that
// this made.
func (e *encodings) end(s *share) (awaited bool) {
	if s.flights--; s.flights > 0 {
		return false
	}
	if !s.kept {
		e.held -= s.bytes
	}
	return e.awaited
}

// left notes that a message has left the log.
func (e *encodings) left(s *share) {
	if s == nil || !s.kept {
		return
	}
	if s.kept = false; s.flights > 0 {
		e.held += s.bytes
	}
}
