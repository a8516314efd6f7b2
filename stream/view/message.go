package view

import (
	"encoding/json"
	"iter"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Change says what a binary message does.
type Change byte

// The changes: points come (or come again, elsewhere or as something else), places change,
// points leave; points that the map was learnt from come or move, below all others.
const (
	Put Change = iota + 1
	Move
	Remove
	Under
)

// headBytes is the length of what stands before a message's Arrow stream, whose buffers it
// leaves aligned.
const headBytes = 8

// Message is a message to a reader: JSON if it is text, else a Change's. All readers share the bytes,
// which nobody changes.
type Message struct {
	Text bool
	Data []byte
	// share counts who holds the bytes; nil until the first reader takes the message.
	share *share
}

// hello begins the whole.
type hello struct {
	Type    string   `json:"type"`
	Title   string   `json:"title"`
	Live    bool     `json:"live"`
	Asks    bool     `json:"asks"`
	Size    int      `json:"size"`
	Base    int      `json:"base"`
	Points  int      `json:"points"`
	Slots   int      `json:"slots"`
	Map     MapState `json:"map"`
	Columns []Field  `json:"columns"`
}

// valuesMessage says which values the codes from..from+len(values)-1 of a column mean.
type valuesMessage struct {
	Type   string   `json:"type"`
	Column int      `json:"column"`
	From   int      `json:"from"`
	Values []string `json:"values"`
}

type mapMessage struct {
	Type string   `json:"type"`
	Map  MapState `json:"map"`
}

type statusMessage struct {
	Type   string `json:"type"`
	Status any    `json:"status"`
}

// encode writes one of the messages above, which hold nothing that JSON cannot.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts and numbers alone
	}
	return text
}

// frame is a change of some slots of the ring, as they are now. The lock is held.
func (h *Hub) frame(c Change, slots []uint32) Message {
	r := h.ring
	numbers := make([]uint32, len(slots)) // the ring's slots are behind the base's
	for i, s := range slots {
		numbers[i] = s + uint32(h.set.Base)
	}
	if c == Remove {
		return removal(numbers)
	}
	columns := []table.Column{table.Uint32Column("slot", numbers), table.Float32Column("x", vec.Pick(r.x, slots)), table.Float32Column("y", vec.Pick(r.y, slots))}
	if c == Put {
		columns = append(columns, table.Float64Column("at", vec.Pick(r.at, slots)), table.StringColumn("id", vec.Pick(r.id, slots)))
		for i, column := range r.columns {
			columns = append(columns, column.take(name(i), slots))
		}
	}
	return binary(c, columns...)
}

// baseFrame is where points of the base are now. The lock is held.
func (h *Hub) baseFrame(slots []uint32) Message {
	return binary(Under, table.Uint32Column("slot", slots), table.Float32Column("x", vec.Pick(h.base.x, slots)), table.Float32Column("y", vec.Pick(h.base.y, slots)))
}

// removal frees slots, as messages number them.
func removal(slots []uint32) Message { return binary(Remove, table.Uint32Column("slot", slots)) }

// binary makes a message of a change.
func binary(c Change, columns ...table.Column) Message {
	t, err := table.NewTable(table.Origin{}, columns...)
	var stream []byte
	if err == nil {
		stream, err = emit.EncodeTable(t)
	}
	if err != nil {
		panic(err) // columns of our own, of one length
	}
	data := make([]byte, headBytes, headBytes+len(stream))
	data[0] = byte(c)
	return Message{Data: append(data, stream...)}
}

// newValues are the values of categories that readers have not heard of. The lock is held.
func (h *Hub) newValues() (out []Message) {
	for i, c := range h.ring.columns {
		h.announced = grown(h.announced, i+1, 0)
		if from := h.announced[i]; from < len(c.values) {
			out = append(out, c.message(i, from))
			h.announced[i] = len(c.values)
		}
	}
	return out
}

// message states a column's values from one on.
func (c *column) message(i, from int) Message {
	return Message{Text: true, Data: encode(valuesMessage{"values", i, from + 1, c.values[from:]})}
}

// allValues states all values of a column. Readers share the message until there are more.
func (c *column) allValues(i int) Message {
	if c.allOf != len(c.values) {
		c.all, c.allOf = c.message(i, 0), len(c.values)
	}
	return c.all
}

// chunks cuts slots into pieces of at most n.
func chunks(slots []uint32, n int) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for len(slots) > 0 {
			k := min(n, len(slots))
			if !yield(slots[:k]) {
				return
			}
			slots = slots[k:]
		}
	}
}
