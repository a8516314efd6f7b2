package format

import (
	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/stream"
)

// Settings say how messages are read.
type Settings struct {
	// Format is that of all messages.
	Format Name
	// Arrow bounds them.
	Arrow arrowfmt.Limits
}

// Decoded is what a message holds.
type Decoded struct {
	// Table holds the events; nil for a tombstone or a deleted record, of the event whose id
	// is Gone.
	Table *table.Table
	Gone  string
	// Wire is how the message was written.
	Wire Wire
}

// Wire is how a message was written, for an output that is to be written likewise. The zero
// value is Arrow.
type Wire struct {
	Format Name
	// Value is the record as it came, without what stands before it to name its schema.
	Value []byte
}

// Decoder decodes the messages of a topic. It is safe for concurrent use.
type Decoder struct {
	set   Settings
	arrow arrowfmt.Decoder
}

// OfArrow makes a decoder of Arrow IPC streams within limits.
func OfArrow(limits arrowfmt.Limits) *Decoder {
	return &Decoder{set: Settings{Format: Arrow, Arrow: limits}, arrow: arrowfmt.Decoder{Limits: limits}}
}

// Limits are those of Arrow messages.
func (d *Decoder) Limits() arrowfmt.Limits { return d.set.Arrow }

// Decode reads a message. Errors are about the message, but for those that match
// *stream.UnavailableError.
func (d *Decoder) Decode(m *stream.Message) (out Decoded, err error) {
	if m.Tombstone() {
		out.Gone = string(m.Key)
		return out, nil
	}
	out.Table, err = d.arrow.Decode(m.Value, table.Origin{Position: m.Position()})
	return out, err
}

// Weigh returns how many bytes the events of a message take once decompressed, without
// decoding them; 0 for one that cannot be decoded.
func (d *Decoder) Weigh(m *stream.Message) int64 { return d.arrow.Weigh(m.Value) }
