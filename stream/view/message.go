package view

import (
	"encoding/json"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Change is the type of a binary message.
type Change byte

// Types of binary messages: points are put (new, or again with other values), move, or leave;
// points of the base, which lie below all others, are put or move.
const (
	Put Change = iota + 1
	Move
	Remove
	Under
)

// headBytes is the length of the header before a message's Arrow stream. It keeps the stream's
// buffers aligned.
const headBytes = 8

// Message is a message to a reader: JSON if Text is set, else binary. All readers share the bytes,
// which must not be changed.
type Message struct {
	Text bool
	Data []byte
	// share counts the holders of the bytes; it is nil until the first reader takes the message.
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
	// Unplaced is the number of rows without a place.
	Unplaced int `json:"unplaced"`
	// Point is the name of one point, such as "connection".
	Point string `json:"point,omitempty"`
	Image *Image `json:"image,omitempty"`
	// Pictures is set if the server has pictures of points, PicturesFrom lists the origins of others.
	Pictures     bool     `json:"pictures,omitempty"`
	PicturesFrom []string `json:"pictures_from,omitempty"`
	// Label names the column with the known classes.
	Label string `json:"label,omitempty"`
}

// unplacedMessage is sent when the number of rows without a place has changed.
type unplacedMessage struct {
	Type string `json:"type"`
	Rows int    `json:"rows"`
}

// valuesMessage gives the values of the codes from..from+len(values)-1 of a column.
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

// encode encodes one of the messages above, for which JSON encoding cannot fail.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts and numbers alone
	}
	return text
}

// frame returns a message with the current state of some slots of the ring. The lock must be held.
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
			if column.Exact {
				columns = append(columns, table.StringColumn(exactName(i), vec.Pick(column.texts, slots)))
			}
		}
	}
	return binary(c, columns...)
}

// baseFrame returns a message with the current places of some base points. The lock must be held.
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

// newValues returns messages with the category values that readers have not been sent yet. The lock
// must be held.
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

// message returns a message with column i's values from index from on.
func (c *column) message(i, from int) Message {
	return Message{Text: true, Data: encode(valuesMessage{"values", i, from + 1, c.values[from:]})}
}

// allValues returns the message with all values of a column. Readers share it until a value is
// added.
func (c *column) allValues(i int) Message {
	if c.allOf != len(c.values) {
		c.all, c.allOf = c.message(i, 0), len(c.values)
	}
	return c.all
}
