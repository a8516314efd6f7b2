package chaos

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/internal/offsets"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/streamtest"
)

// Evidence is what the topics hold when all is over; each partition's messages in order.
type Evidence struct {
	In, Out, Letters []stream.Message
	// ExactlyOnce says that nothing may come twice.
	ExactlyOnce bool
	// ID names the inputs' column of ids.
	ID string
	// Decoder reads messages that are not Arrow; nil: all are.
	Decoder *format.Decoder
	// Positions are the group's, by partition, at a moment at which nobody works: what
	// lies before them has to be out, and with ExactlyOnce nothing else may be. nil says
	// that all is over and all of it has to be out.
	Positions map[int]int64
}

// Verdict is what the judge found.
type Verdict struct {
	// Inputs were read; Placed and Letters of them came out, Lost did not.
	Inputs, Placed, Letters, Lost int
	// Duplicates are outputs, and letters, beyond the first for their input, and parts.
	Duplicates int
	// Split outputs came in parts; letters have their value Elsewhere.
	Split, Elsewhere int
	// Versions is how many versions of maps placed them, Maps how many maps.
	Versions, Maps int
	// Strangers are outputs of no input. Misplaced ones stand before one of an earlier
	// input, or in another partition than it. Altered ones have other rows than their
	// input. Ambiguous ones differ from another one of the same offset, map and version,
	// or say two things of the map that they were placed on.
	Strangers, Misplaced, Altered, Ambiguous int
	// Early are out though their position is not committed: they were not in one
	// transaction with it.
	Early int
	// Complaints say the first of each kind.
	Complaints []string
}

// add counts another verdict in.
func (v *Verdict) add(o Verdict) {
	for to, n := range map[*int]int{&v.Inputs: o.Inputs, &v.Placed: o.Placed, &v.Letters: o.Letters, &v.Lost: o.Lost, &v.Duplicates: o.Duplicates,
		&v.Split: o.Split, &v.Elsewhere: o.Elsewhere, &v.Versions: o.Versions, &v.Maps: o.Maps, &v.Strangers: o.Strangers,
		&v.Misplaced: o.Misplaced, &v.Altered: o.Altered, &v.Ambiguous: o.Ambiguous, &v.Early: o.Early} {
		*to += n
	}
	v.Complaints = append(v.Complaints, o.Complaints...)
}

// Err returns what contradicts the promises, or nil.
func (v Verdict) Err() error {
	if len(v.Complaints) == 0 {
		return nil
	}
	return fmt.Errorf("%s (%+v)", v.Complaints[0], v)
}

// String sums up.
func (v Verdict) String() string {
	return fmt.Sprintf("%d inputs: %d placed by %d versions of %d maps, %d in parts, %d dead letters, %d without their value, %d lost, %d duplicates, %d strangers, %d misplaced, %d altered, %d ambiguous, %d early",
		v.Inputs, v.Placed, v.Versions, v.Maps, v.Split, v.Letters, v.Elsewhere, v.Lost, v.Duplicates, v.Strangers, v.Misplaced, v.Altered, v.Ambiguous, v.Early)
}

// lane is what keeps its order: messages of one source partition with one key.
type lane struct {
	stream.TopicPartition
	key string
}

// input is one message of the source and what became of it.
type input struct {
	message *stream.Message
	lane    lane
	// rank counts the placed inputs of the lane before it.
	rank            int
	placed, letters int
	// values are by edition and how many parts there were.
	values map[cut][]byte
}

// cut is in how many parts an edition came.
type cut struct {
	edition
	parts int
}

// edition is a version of a map.
type edition struct {
	mapID   string
	version uint64
}

// editionOf is what a message's headers say that it was placed on, and whether its
// value says so, too.
func (e *Evidence) editionOf(m *stream.Message, version uint64) (on edition, agreed bool) {
	id, _ := m.Header(stream.HeaderMapID)
	on = edition{string(id), version}
	if m.Tombstone() {
		return on, true
	}
	t, err := e.open(m)
	if err != nil {
		return on, true // what cannot be decoded is altered
	}
	said := t.MapID()
	if c, ok := t.Column("map_id"); ok && t.Len() > 0 {
		said = c.Text(0)
	}
	return on, said == on.mapID
}

// open reads a message.
func (e *Evidence) open(m *stream.Message) (*table.Table, error) {
	if e.Decoder == nil {
		return arrowfmt.DecodeMessage(m.Value, table.Origin{Position: offsets.At(m.Topic, m.Partition, m.Offset)}, arrowfmt.Limits{})
	}
	got, err := e.Decoder.DecodeNow(context.Background(), m)
	return got.Table, err
}

// Judge compares what went in with what came out.
func Judge(e Evidence) Verdict {
	v := Verdict{Inputs: len(e.In)}
	kinds := map[*int]bool{}
	complain := func(kind *int, format string, args ...any) {
		*kind++
		if !kinds[kind] {
			kinds[kind] = true
			v.Complaints = append(v.Complaints, fmt.Sprintf(format, args...))
		}
	}
	in := map[stream.Position]*input{}
	for i := range e.In {
		m := &e.In[i]
		in[stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}] =
			&input{message: m, lane: lane{m.TopicPartition, strconv.Quote(string(m.Key)) + strconv.FormatBool(m.Key == nil)}, values: map[cut][]byte{}}
	}
	versions, maps := map[edition]bool{}, map[string]bool{}
	var firsts []*stream.Message // the first output of each input
	outputs, err := streamtest.Join(e.Out)
	if err != nil {
		complain(&v.Misplaced, "%v", err)
	}
	v.Duplicates = outputs.Torn + outputs.Again
	if e.ExactlyOnce && v.Duplicates > 0 {
		complain(&v.Ambiguous, "%d outputs broke off between their parts, %d parts came twice", outputs.Torn, outputs.Again)
	}
	for _, parts := range outputs.Whole {
		m := &parts[0]
		if len(parts) > 1 {
			v.Split++
		}
		p, version, ok := stream.Origin(m)
		of := in[p]
		if !ok || of == nil {
			complain(&v.Strangers, "output %s is of no input (%v)", m.Where(), p)
			continue
		}
		by, agreed := e.editionOf(m, version)
		for i := range parts[1:] {
			of, also := e.editionOf(&parts[i+1], version)
			agreed = agreed && also && of == by
		}
		if !agreed {
			complain(&v.Ambiguous, "output %s is of the map %s by its header, and of another by its schema", m.Where(), by.mapID)
		}
		versions[by], maps[by.mapID] = true, true
		if of.placed++; of.placed == 1 {
			firsts = append(firsts, m)
		} else {
			v.Duplicates++
		}
		in, value := cut{by, len(parts)}, streamtest.Bytes(parts)
		if before, again := of.values[in]; again && !bytes.Equal(before, value) {
			complain(&v.Ambiguous, "map %s version %d placed input %v in two ways (output %s)", by.mapID, version, p, m.Where())
		}
		of.values[in] = value
		if err := e.same(of.message, parts); err != nil {
			complain(&v.Altered, "output %s is not what input %v was: %v", m.Where(), p, err)
		}
	}
	v.Versions, v.Maps = len(versions), len(maps)
	for i := range e.Letters {
		m := &e.Letters[i]
		p, err := letterOf(m)
		of := in[p]
		if err != nil || of == nil {
			complain(&v.Strangers, "dead letter %s is of no input (%v, %v)", m.Where(), p, err)
			continue
		}
		if of.letters++; of.letters > 1 {
			v.Duplicates++
		}
		if err := streamtest.Kept(of.message, m); err != nil {
			complain(&v.Altered, "dead letter %s is not what input %v was: %v", m.Where(), p, err)
		}
		if _, elsewhere := m.Header("unfold-elsewhere"); elsewhere {
			v.Elsewhere++
		}
	}
	next := map[lane]int{}
	for _, m := range sorted(e.In) {
		of := in[stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}]
		switch {
		case of.placed > 0:
			v.Placed++
			of.rank = next[of.lane]
			next[of.lane]++
		case of.letters > 0:
			v.Letters++
		case e.due(&m):
			complain(&v.Lost, "input %s is lost", m.Where())
		}
		if e.ExactlyOnce && of.placed+of.letters > 0 && !e.due(&m) {
			complain(&v.Early, "input %s is out, and its position is not committed", m.Where())
		}
		if e.ExactlyOnce && of.placed+of.letters > 1 {
			v.Complaints = append(v.Complaints, fmt.Sprintf("input %s came out %d times as a place and %d times as a dead letter", m.Where(), of.placed, of.letters))
		}
	}
	came, where := map[lane]int{}, map[lane]int{}
	for _, m := range firsts {
		p, _, _ := stream.Origin(m)
		of := in[p]
		if at, ok := where[of.lane]; ok && at != m.Partition {
			complain(&v.Misplaced, "output %s of input %v lies in another partition than those before it (%d)", m.Where(), p, at)
		} else if of.rank != came[of.lane] {
			complain(&v.Misplaced, "output %s of input %v came as number %d of its key, it was number %d", m.Where(), p, came[of.lane], of.rank)
		}
		where[of.lane], came[of.lane] = m.Partition, of.rank+1
	}
	return v
}

// due reports whether an input has to be out.
func (e *Evidence) due(m *stream.Message) bool {
	return e.Positions == nil || m.Offset < e.Positions[m.Partition]
}

// sorted returns messages by partition and offset.
func sorted(messages []stream.Message) []stream.Message {
	out := slices.Clone(messages)
	slices.SortFunc(out, func(a, b stream.Message) int {
		if a.Partition != b.Partition {
			return a.Partition - b.Partition
		}
		return int(a.Offset - b.Offset)
	})
	return out
}

// letterOf reads where a dead letter comes from.
func letterOf(m *stream.Message) (p stream.Position, err error) {
	topic, _ := m.Header("__connect.errors.topic")
	partition, _ := m.Header("__connect.errors.partition")
	offset, _ := m.Header("__connect.errors.offset")
	p.Topic = string(topic)
	if p.Partition, err = strconv.Atoi(string(partition)); err != nil {
		return p, err
	}
	p.Offset, err = strconv.ParseInt(string(offset), 10, 64)
	return p, err
}

// same reports whether the parts of an output have the key, the time and together the rows
// of their input.
func (e *Evidence) same(in *stream.Message, parts []stream.Message) error {
	var got []string
	for i := range parts {
		out := &parts[i]
		if !bytes.Equal(in.Key, out.Key) || (in.Key == nil) != (out.Key == nil) || !in.Time.Equal(out.Time) {
			return fmt.Errorf("key %q and time %v, not %q and %v", out.Key, out.Time, in.Key, in.Time)
		}
		if in.Tombstone() || out.Tombstone() {
			if in.Tombstone() != out.Tombstone() || len(parts) > 1 {
				return fmt.Errorf("one of them is a tombstone")
			}
			return nil
		}
		if part, ok := stream.PartOf(out); !ok || part.Row != len(got) {
			return fmt.Errorf("part %d says that it begins at row %d, there are %d before it", part.Number, part.Row, len(got))
		}
		rows, err := e.ids(out, "id")
		if err != nil {
			return err
		}
		got = append(got, rows...)
	}
	want, err := e.ids(in, e.ID)
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the rows are %q, not %q", got, want)
	}
	return nil
}

// ids opens a message and returns a column of it.
func (e *Evidence) ids(m *stream.Message, column string) ([]string, error) {
	t, err := e.open(m)
	if err != nil {
		return nil, err
	}
	c, ok := t.Column(column)
	if !ok {
		return nil, fmt.Errorf("there is no column %s", column)
	}
	return c.Strings(), nil
}
