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

// Evidence is the final contents of the topics, with each partition's messages in order.
type Evidence struct {
	In, Out, Letters []stream.Message
	// ExactlyOnce requires that nothing comes twice.
	ExactlyOnce bool
	// ID is the name of the inputs' id column.
	ID string
	// Decoder decodes messages that are not Arrow; nil if all are Arrow.
	Decoder *format.Decoder
	// Positions are the group's offsets by partition at a moment when no stage runs. Everything
	// before them must have been written, and with ExactlyOnce nothing else. nil means that the run
	// is over and everything must have been written.
	Positions map[int]int64
}

// Verdict is the result of the judge.
type Verdict struct {
	// Inputs is the number of messages read. Placed of them have an output, Letters a dead letter,
	// and Lost neither.
	Inputs, Placed, Letters, Lost int
	// Duplicates are additional outputs, dead letters and parts of an input after the first.
	Duplicates int
	// Split is the number of outputs in parts. Elsewhere is the number of dead letters without
	// their value.
	Split, Elsewhere int
	// Versions is the number of map versions that placed them, and Maps the number of maps.
	Versions, Maps int
	// Numbers of wrong outputs. Strangers have no input. Misplaced ones precede the output of an
	// earlier input, or are in another partition. Altered ones have other rows than their input.
	// Ambiguous ones differ from another output of the same offset, map and version, or give two
	// different maps.
	Strangers, Misplaced, Altered, Ambiguous int
	// Early outputs exist although their position is not committed, so they were not in one
	// transaction with it.
	Early int
	// Complaints describe the first error of each kind.
	Complaints []string
}

// add adds the counts of another verdict.
func (v *Verdict) add(o Verdict) {
	for to, n := range map[*int]int{&v.Inputs: o.Inputs, &v.Placed: o.Placed, &v.Letters: o.Letters, &v.Lost: o.Lost, &v.Duplicates: o.Duplicates,
		&v.Split: o.Split, &v.Elsewhere: o.Elsewhere, &v.Versions: o.Versions, &v.Maps: o.Maps, &v.Strangers: o.Strangers,
		&v.Misplaced: o.Misplaced, &v.Altered: o.Altered, &v.Ambiguous: o.Ambiguous, &v.Early: o.Early} {
		*to += n
	}
	v.Complaints = append(v.Complaints, o.Complaints...)
}

// Err returns an error if a guarantee was broken, otherwise nil.
func (v Verdict) Err() error {
	if len(v.Complaints) == 0 {
		return nil
	}
	return fmt.Errorf("%s (%+v)", v.Complaints[0], v)
}

// String summarizes the verdict.
func (v Verdict) String() string {
	return fmt.Sprintf("%d inputs: %d placed by %d versions of %d maps, %d in parts, %d dead letters, %d without their value, %d lost, %d duplicates, %d strangers, %d misplaced, %d altered, %d ambiguous, %d early",
		v.Inputs, v.Placed, v.Versions, v.Maps, v.Split, v.Letters, v.Elsewhere, v.Lost, v.Duplicates, v.Strangers, v.Misplaced, v.Altered, v.Ambiguous, v.Early)
}

// lane identifies messages that must stay in order: those of one source partition with one key.
type lane struct {
	stream.TopicPartition
	key string
}

// input is one message of the source and its outcome.
type input struct {
	message *stream.Message
	lane    lane
	// rank is the number of placed inputs before it in its lane.
	rank            int
	placed, letters int
	// values are the output values, by edition and number of parts.
	values map[cut][]byte
}

// cut is an edition and the number of parts of its output.
type cut struct {
	edition
	parts int
}

// edition is a version of a map.
type edition struct {
	mapID   string
	version uint64
}

// editionOf returns the map version in a message's headers, and whether the message's value agrees.
func (e *Evidence) editionOf(m *stream.Message, version uint64) (on edition, agreed bool) {
	id, _ := m.Header(stream.HeaderMapID)
	on = edition{string(id), version}
	if m.Tombstone() {
		return on, true
	}
	t, err := e.open(m)
	if err != nil {
		return on, true // a message that cannot be decoded is counted as altered
	}
	said := t.MapID()
	if c, ok := t.Column("map_id"); ok && t.Len() > 0 {
		said = c.Text(0)
	}
	return on, said == on.mapID
}

// open decodes a message.
func (e *Evidence) open(m *stream.Message) (*table.Table, error) {
	if e.Decoder == nil {
		return arrowfmt.DecodeMessage(m.Value, table.Origin{Position: offsets.At(m.Topic, m.Partition, m.Offset)}, arrowfmt.Limits{})
	}
	got, err := e.Decoder.DecodeNow(context.Background(), m)
	return got.Table, err
}

// Judge compares the inputs with the outputs.
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

// due reports whether an input must have an output by now.
func (e *Evidence) due(m *stream.Message) bool {
	return e.Positions == nil || m.Offset < e.Positions[m.Partition]
}

// sorted returns messages ordered by partition and offset.
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

// letterOf returns the origin of a dead letter.
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

// same checks that the parts of an output have the key and the time of their input, and together
// its rows.
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

// ids decodes a message and returns one of its columns.
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
