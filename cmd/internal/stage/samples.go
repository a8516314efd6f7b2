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

// Sample is a message to inspect.
type Sample struct {
	// Where is its origin, such as "events.jsonl, line 3".
	Where string
	stream.Message
}

// Seen describes how a stage would process samples.
type Seen struct {
	// Formats counts the decoded messages by format.
	Formats map[format.Name]int
	// Output is the format of the output for the last message. Subject is the subject of its
	// schema, if it has one.
	Output  format.Name
	Subject string
	// Events is the number of events in these messages. Placed of them could be placed. Gone is the
	// number of deletions.
	Events, Placed, Gone int
	// Eventless counts messages without an event, which are skipped. Unchanged counts changes
	// without a vector, because they did not affect it.
	Eventless, Unchanged int
	// Columns are all columns, in order of appearance.
	Columns []*SeenColumn
	// Dim is the length of the vectors, 0 if there are none. Held describes the learner's memory
	// for them ("" for role embed). Left describes the columns excluded by "*".
	Dim        int
	Held, Left string
	// Unknown has an error for each configured column that no message has. It names the setting and
	// the most similar column.
	Unknown []error
	// Problems are the errors of single messages, in order.
	Problems []SampleProblem
}

// SampleProblem is the reason why a message would become a dead letter.
type SampleProblem struct {
	at    int
	Where string
	Err   error
}

// SeenColumn is a column of the samples.
type SeenColumn struct {
	Name string
	// Types are its types, usually one. Example is its first value.
	Types   []string
	Example string
	// Events is the number of events with a value.
	Events int
	// Role is the stage's use of the column.
	Role string
	// pinned is set if the configuration sets the type.
	pinned bool
}

// String describes in one line the events that could be placed, their columns and the outputs.
func (s *Seen) String() string {
	var columns []string
	for _, c := range s.Columns {
		text := c.Name
		if s.formats() != string(format.Arrow) {
			text += " " + c.Value() // the configuration does not set its type
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

// Type returns the type of the column, or a list if it has several.
func (c *SeenColumn) Type() string {
	if len(c.Types) == 0 {
		return "(no value)"
	}
	return strings.Join(c.Types, " or ")
}

// Value returns the type with an example.
func (c *SeenColumn) Value() string {
	if len(c.Types) == 0 {
		return c.Type()
	}
	return c.Type() + ": " + c.Example
}

// formats lists the formats of the decoded messages.
func (s *Seen) formats() string {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(s.Formats)) {
		names = append(names, string(n))
	}
	return strings.Join(names, " and ")
}

// Look describes how a stage would process the samples, with an encoder learnt from them alone. It
// returns an error for wrong settings. Errors of single messages are in Seen.Problems.
func Look(ctx context.Context, s Settings, samples []Sample) (*Seen, error) {
	return look(ctx, s, samples, nil)
}

// look is Look. It uses the messages in more only for their column names.
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
		l.encode(encodable)
	}
	return l.seen, l.end()
}

type decoded struct {
	at    int // index in samples
	table *table.Table
}

// looker inspects samples.
type looker struct {
	s       Settings
	f       formats
	whole   *format.Decoder // decodes all columns
	samples []Sample
	seen    *Seen
	fields  table.Schema // all columns of the messages, not only the named ones
	fitter  *ingest.Fitter
	encoder *ingest.Encoder
}

// complain records an error of a message.
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

// decode decodes a message and passes it to the fitter of the encoder. It returns nil for a message
// without events.
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
		l.columns(all.Table, got.Table)
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

// meet adds the columns of a message to the known ones.
func (l *looker) meet(s table.Schema) {
	for _, f := range s {
		if l.fields.Index(f.Name) < 0 {
			l.fields = append(l.fields, f)
		}
	}
}

// unknown records configured columns that are in no message. lost is set if no event can be placed
// without them.
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
			return // a pinned type means that the column will come
		case setting != "source.keep" && !slip:
			return // only some events have labels and values that may be missing
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

// encode encodes the decoded messages as vectors.
func (l *looker) encode(all []decoded) {
	if len(all) == 0 {
		return
	}
	var err error
	if l.encoder, err = l.fitter.Encoder(); err != nil {
		for _, d := range all {
			l.complain(d.at, err)
		}
		return
	}
	for _, d := range all {
		if _, err := embed.Encode(l.encoder, d.table, limits(l.s.Config)); err != nil {
			l.complain(d.at, err)
			continue
		}
		l.seen.Placed += d.table.Len()
	}
}

// columns records the columns of a message that was decoded whole. Fields of a change's envelope
// have values only in the selected columns.
func (l *looker) columns(whole, selected *table.Table) {
	for _, c := range whole.Columns() {
		if at := selected.Schema().Index(c.Name()); at >= 0 {
			c = selected.Columns()[at]
		}
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

// mostExample is the most characters of an example.
const mostExample = 40

// example formats a value for people.
func example(c table.Column, i int) string {
	text := strings.ToValidUTF8(c.Text(i), "\uFFFD")
	if r := []rune(text); len(r) > mostExample {
		text = string(r[:mostExample]) + "..."
	}
	return text
}

// end sets the fields that depend on all samples.
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

// NotUsed is the role of columns that the stage ignores.
const NotUsed = "not used"

// role returns the stage's use of a column.
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
