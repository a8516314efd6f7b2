package stage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/format"
)

// Sample is a message that is looked at.
type Sample struct {
	// Where names it, as "events.jsonl, line 3".
	Where string
	stream.Message
}

// Seen is what a stage would make of samples.
type Seen struct {
	// Formats count the messages that could be read, by their formats.
	Formats map[format.Name]int
	// Output is what an output of the last one would be, and Subject what its schema would
	// be registered under, if it has one.
	Output  format.Name
	Subject string
	// Events is how many these hold, Placed how many of them could be placed, Gone how
	// many delete an event.
	Events, Placed, Gone int
	// Eventless hold no event, and are skipped; Unchanged are changes that come without the vector, since they
	// did not touch it.
	Eventless, Unchanged int
	// Columns are all there are, in the order in which they came.
	Columns []*SeenColumn
	// Dim is the length of the vectors, 0 if there are none; Held describes what the learner
	// will take of them ("" for role embed), Left what "*" leaves out.
	Dim        int
	Held, Left string
	// Unknown are the columns that the configuration names and no message has: errors that name
	// the setting and the nearest column.
	Unknown []error
	// Problems are those of single messages, in their order.
	Problems []SampleProblem
}

// SampleProblem is why a message would become a dead letter.
type SampleProblem struct {
	at    int
	Where string
	Err   error
}

// SeenColumn is a column of samples.
type SeenColumn struct {
	Name string
	// Types are those that it had, mostly one; Example is its first value.
	Types   []string
	Example string
	// Events is how many have a value.
	Events int
	// Role is what the stage uses it for.
	Role string
	// pinned: the configuration says its type.
	pinned bool
}

// String describes in a line what could be placed, with the columns, and what becomes of it.
func (s *Seen) String() string {
	var columns []string
	for _, c := range s.Columns {
		text := c.Name
		if s.formats() != string(format.Arrow) {
			text += " " + c.Value() // whose types nobody has said
		}
		columns = append(columns, text)
	}
	return s.describe(" of " + table.List(columns))
}

// Brief is String without the columns.
func (s *Seen) Brief() string { return s.describe("") }

func (s *Seen) describe(columns string) string {
	text := humanize.Plural(s.Placed, "event") + columns
	if list := s.formats(); list != string(format.Arrow) {
		text += ", read as " + list
	}
	text += ", as vectors of " + humanize.Plural(s.Dim, "value")
	for _, more := range []string{s.Held, s.Left} {
		if more != "" {
			text += "; " + more
		}
	}
	if s.Output != format.Arrow {
		text += "; outputs are " + string(s.Output)
	}
	if s.Subject != "" {
		text += ", their schema under the subject " + s.Subject
	}
	return text
}

// Type is the column's type, or those that it has.
func (c *SeenColumn) Type() string {
	if len(c.Types) == 0 {
		return "(no value)"
	}
	return strings.Join(c.Types, " or ")
}

// Value is its type with an example.
func (c *SeenColumn) Value() string {
	if len(c.Types) == 0 {
		return c.Type()
	}
	return c.Type() + ": " + c.Example
}

// formats lists what was read.
func (s *Seen) formats() string {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(s.Formats)) {
		names = append(names, string(n))
	}
	return strings.Join(names, " and ")
}

// Look returns what a stage would make of messages, by what is learnt from them alone. The
// error is about the settings; what is wrong with single messages is among the problems.
func Look(ctx context.Context, s Settings, samples []Sample) (*Seen, error) {
	return look(ctx, s, samples, nil)
}

// look is Look. Of more messages only the columns count that they have.
func look(ctx context.Context, s Settings, samples []Sample, more []stream.Message) (*Seen, error) {
	f, err := formatsOf(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	defer f.close()
	l := &looker{s: s, f: f, samples: samples, seen: &Seen{Formats: map[format.Name]int{}}}
	if l.whole, err = f.whole(); err != nil {
		return nil, err
	}
	var encodable []decoded
	for i := range samples {
		m := &samples[i]
		l.meet(l.f.decoder.Fields(&m.Message))
		t, err := l.decode(ctx, &m.Message)
		switch {
		case err != nil:
			l.complain(i, err)
		case t != nil:
			encodable = append(encodable, decoded{i, t})
		}
	}
	for i := range more {
		l.meet(l.f.decoder.Fields(&more[i]))
	}
	lost, err := l.unknown()
	if err != nil {
		return nil, err
	}
	if !lost {
		if err := l.encode(encodable); err != nil {
			return nil, err
		}
	}
	return l.seen, l.end()
}

// decoded is a message that could be read.
type decoded struct {
	at    int // among the samples
	table *table.Table
}

// looker looks at samples.
type looker struct {
	s       Settings
	f       formats
	whole   *format.Decoder // of all columns
	samples []Sample
	seen    *Seen
	fields  table.Schema // of all messages: what they hold, not what is named
	fitter  *ingest.Fitter
	encoder *ingest.Encoder
}

// complain notes what is wrong with a message.
func (l *looker) complain(at int, err error) {
	where := l.samples[at].Where
	var e *table.Error
	if errors.As(err, &e) {
		located := *e
		located.Origin = table.Origin{File: where}
		err = &located
	}
	l.seen.Problems = append(l.seen.Problems, SampleProblem{at, where, err})
}

// decode reads one message, and lets an encoder learn from it; nil if it has no events.
func (l *looker) decode(ctx context.Context, m *stream.Message) (*table.Table, error) {
	got, err := l.f.decoder.DecodeNow(ctx, m)
	var skipped *stream.SkippedError
	if errors.As(err, &skipped) {
		l.seen.Eventless++
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.Tombstone() {
		l.seen.Gone++
		return nil, nil
	}
	l.seen.Formats[got.Wire.Format]++
	l.seen.Output = l.f.writer.Of(got.Wire)
	l.seen.Subject = l.f.writer.Subject(l.seen.Output)
	if vector := l.s.Mapping.Vector; len(got.Unchanged) > 0 && (vector == "" || slices.Contains(got.Unchanged, vector)) {
		l.seen.Unchanged++
		return nil, nil
	}
	if got.Table == nil {
		l.seen.Gone++
		return nil, nil
	}
	l.seen.Events += got.Table.Len()
	if all, err := l.whole.DecodeNow(ctx, m); err == nil && all.Table != nil {
		l.columns(all.Table)
	}
	if got.Table.Len() == 0 {
		return nil, nil
	}
	events, err := embed.DecoderOf(l.f.decoder, limits(l.s.Config)).Decode(*m)
	if err != nil {
		return nil, err
	}
	own, err := embed.Own(events)
	if err != nil {
		return nil, err
	}
	if _, err := own.Absent(l.s.Mapping.ID, l.s.Mapping.Vector); err != nil {
		return nil, err
	}
	if l.fitter == nil {
		if l.fitter, err = ingest.NewFitter(l.s.Mapping, got.Table.Schema()); err != nil {
			return nil, err
		}
	}
	return got.Table, l.fitter.Add(got.Table)
}

// meet adds the columns of a message to those that there are.
func (l *looker) meet(s table.Schema) {
	for _, f := range s {
		if l.fields.Index(f.Name) < 0 {
			l.fields = append(l.fields, f)
		}
	}
}

// unknown notes the columns that are named and in no message. lost reports that no event can be
// placed without them.
func (l *looker) unknown() (lost bool, err error) {
	if len(l.fields) == 0 {
		return false, nil
	}
	pinned, err := record.ParseTypes(l.s.Config.Source.Types)
	if err != nil {
		return false, err
	}
	have := l.fields.Flat().Names()
	named, _ := namedColumns(l.s.Mapping)
	complain := func(setting, name string, needed bool) {
		if name == "" || l.fields.May(name) {
			return
		}
		_, typed := pinned[name]
		slip := table.Nearest(name, have) != ""
		switch {
		case needed:
		case setting == "source.types" && (slices.Contains(named, name) || !slip), setting != "source.types" && typed:
			return // a pinned type says that the column comes
		case setting != "source.keep" && !slip:
			return // labels, and values that may be missing, come with some events only
		}
		lost = lost || needed
		e := table.UnknownColumn(table.Origin{}, name, have)
		if !needed && !slip {
			e.Hint += "; if it comes with later messages, pin its type by source.types"
		}
		l.seen.Unknown = append(l.seen.Unknown, fmt.Errorf("%s: %w", setting, e))
	}
	m := l.s.Mapping
	complain("source.id", m.ID, true)
	complain("source.vector", m.Vector, true)
	for _, c := range m.Columns {
		if !c.Several() {
			complain("source.columns", c.Name, l.s.Config.Source.Missing != "mean")
		}
	}
	complain("source.label", m.Label, false)
	for _, name := range m.Keep {
		complain("source.keep", name, false)
	}
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		complain("source.types", name, false)
	}
	return lost, nil
}

// encode makes vectors of what could be read.
func (l *looker) encode(all []decoded) (err error) {
	if len(all) == 0 {
		return nil
	}
	if l.encoder, err = l.fitter.Encoder(); err != nil {
		for _, d := range all {
			l.complain(d.at, err)
		}
		return nil
	}
	for _, d := range all {
		if _, err := embed.Encode(l.encoder, d.table, limits(l.s.Config)); err != nil {
			l.complain(d.at, err)
			continue
		}
		l.seen.Placed += d.table.Len()
	}
	return nil
}

// columns notes the columns of a table.
func (l *looker) columns(t *table.Table) {
	for _, c := range t.Columns() {
		at := slices.IndexFunc(l.seen.Columns, func(s *SeenColumn) bool { return s.Name == c.Name() })
		if at < 0 {
			at = len(l.seen.Columns)
			l.seen.Columns = append(l.seen.Columns, &SeenColumn{Name: c.Name()})
		}
		seen := l.seen.Columns[at]
		had := false
		for i := range c.Len() {
			if c.IsNull(i) {
				continue
			}
			if had = true; seen.Example == "" {
				seen.Example = example(c, i)
			}
			seen.Events++
		}
		if had && !slices.Contains(seen.Types, c.DataType()) {
			seen.Types = append(seen.Types, c.DataType())
		}
	}
}

// mostExample bounds the text of a value that is shown.
const mostExample = 40

// example is a value for a person.
func example(c table.Column, i int) string {
	text := strings.ToValidUTF8(c.Text(i), "\uFFFD")
	if r := []rune(text); len(r) > mostExample {
		text = string(r[:mostExample]) + "..."
	}
	return text
}

// end fills in what is known when all samples have been seen.
func (l *looker) end() error {
	slices.SortStableFunc(l.seen.Problems, func(a, b SampleProblem) int { return a.at - b.at })
	for _, c := range l.seen.Columns {
		c.Role = l.role(c.Name)
		_, c.pinned = l.f.in.Spec.Types[c.Name]
	}
	if l.encoder == nil {
		return nil
	}
	l.seen.Dim, l.seen.Left = l.encoder.Dim(), ingest.DescribeLeft(l.fitter.Left())
	if l.s.Config.Role == config.RoleEmbed {
		return nil
	}
	held, err := holds(l.s, l.seen.Dim)
	l.seen.Held = fmt.Sprintf("the learner holds up to %s, in at most %s; the stage takes at most %s of memory",
		humanize.Plural(l.s.Config.Reference.Size, "point"), humanize.Bytes(held), humanize.Bytes(MemoryBound(l.s.Config, held)))
	return err
}

// NotUsed is the role of columns that the stage does nothing with.
const NotUsed = "not used"

// role is what the stage uses a column for.
func (l *looker) role(name string) string {
	m := l.s.Mapping
	vector, elements := m.Vector, []string(nil)
	if l.encoder != nil {
		vector, elements = l.encoder.Vector(), l.encoder.Names()
	}
	var roles []string
	for _, r := range []struct {
		is   bool
		role string
	}{
		{name == m.ID, "the id"}, {name == m.Label, "the label"}, {name == vector, "the vector"},
		{slices.ContainsFunc(elements, func(n string) bool { return n == name || strings.HasPrefix(n, name+"=") }), "of the vector"},
		{slices.Contains(m.Keep, name), "kept"},
	} {
		if r.is {
			roles = append(roles, r.role)
		}
	}
	if len(roles) == 0 {
		return NotUsed
	}
	return strings.Join(roles, ", ")
}
