package ingest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"unfold/ingest/table"
)

// categories is the maximum number of values of a text column that is suggested as categories.
const categories = 50

// suggest sets suggested options for fit. It suggests numbers and text with few values, standardized
// if their deviations differ much and they are not elements of one array. It suggests times only if
// there is nothing else: with them rows of one hour would come together whatever they contain. It suggests Hellinger for counts and means for missing values. One
// column may be the label (see label). It omits the columns of p.passing.
func (p *Profile) suggest() {
	p.Suggestion, p.columns, p.labelWhy, p.timesWhy = Mapping{}, "", "", ""
	var names, times []string
	ids := map[string]bool{}
	for _, l := range p.Left {
		ids[l.Column] = l.isID()
	}
	var label *ColumnProfile
	why := ""
	if !p.labelled {
		label, why = p.label(ids)
	}
	if p.numbers {
		names = append(names, "*")
	}
	var deviations []float64
	var used []*ColumnProfile // of deviations
	holes, counts := false, tallyCounts{}
	for i := range p.Columns {
		c := &p.Columns[i]
		before := len(names) + len(deviations)
		left := ids[c.Name]
		switch {
		case c == label || slices.Contains(p.passing, c.Name):
			continue
		case c.timed && c.Distinct > 1:
			times = append(times, escaped(c.Name)+":time")
		case left:
		case c.Kind == table.Text && p.categorical(c):
			names = append(names, escaped(c.Name))
		case c.Kind == table.Time && c.Min < c.Max:
			times = append(times, escaped(c.Name))
		case c.Kind == table.Number && c.m.n > 0 && c.Min < c.Max:
			deviations, used = append(deviations, c.m.deviation()), append(used, c)
			counts.see(c)
		}
		holes = holes || c.Missing > 0 && (len(names)+len(deviations) > before || c.Kind == table.Number && !left)
	}
	switch content := len(deviations) > 0 || len(names) > 0 && names[len(names)-1] != "*"; {
	case !content || p.Rows < leastRows:
		names = append(names, times...)
	case len(times) > 0:
		p.timesWhy = fmt.Sprintf("times are not in the vectors: a time tells when a row was written, not what it contains; to have it there: --columns '%s'", strings.Join(append(slices.Clone(names), times...), ","))
	}
	if len(names) == 0 || names[0] == "*" && len(deviations) == 0 && len(names) == 1 {
		return
	}
	const much = 10
	p.Suggestion.ID = p.rowNames()
	if label != nil {
		p.Suggestion.Label, p.labelWhy = label.Name, why
	}
	p.columns = strings.Join(names, ",")
	p.Suggestion.Columns, _ = ParseColumns(p.columns) // names are escaped
	switch {
	case len(names) == 1 && oneArray(used) && !(counts.are() && !holes):
	case len(names) == 1 && !holes && counts.are():
		p.Suggestion.Metric = Hellinger
	case len(deviations) > 1 && slices.Max(deviations) > much*slices.Min(deviations) || len(names) > 1:
		p.Suggestion.Standardize = true
	}
	p.Suggestion.Fill = holes
}

// rowNames returns the column that names the rows, every value once: an index of text that pandas
// wrote, else the only column under the name of an id, else the only such column of text. It returns ""
// if there is none, or more than one.
func (p *Profile) rowNames() string {
	var named, texts []string
	for i := range p.Columns {
		c := &p.Columns[i]
		k := slices.IndexFunc(p.Left, func(l Left) bool { return l.Column == c.Name && l.isID() })
		if k < 0 || c.Missing > 0 {
			continue
		}
		isText := c.Kind == table.Text && !c.isUnited() && int64(c.Distinct) == min(p.Rows, MostDistinct) && p.Rows >= leastRows
		switch {
		case isText && p.Left[k].Why == indexWhy:
			return c.Name
		case p.Left[k].Why == indexWhy:
		case (isText || c.Kind == table.Number) && saysID(c.Name):
			named = append(named, c.Name)
		case isText:
			texts = append(texts, c.Name)
		}
	}
	if len(named) != 1 {
		named = texts
	}
	if len(named) != 1 {
		return ""
	}
	return named[0]
}

var numbered = regexp.MustCompile(`[0-9]+`)

// oneArray reports whether columns are the elements of one array, since their names differ only in
// numbers, such as pixel_0_0 or V1. These have one unit, and so they are not standardized.
func oneArray(columns []*ColumnProfile) bool {
	const fewest = 8
	if len(columns) < fewest {
		return false
	}
	stem := func(c *ColumnProfile) string { return numbered.ReplaceAllString(c.Name, "#") }
	first := stem(columns[0])
	return strings.Contains(first, "#") && !slices.ContainsFunc(columns, func(c *ColumnProfile) bool { return stem(c) != first })
}

// Setting is a setting of columns: the name without "source." (a flag has the same name), and its
// value, "true" for a switch. Why is the reason of a guess that the user should know, "" for others.
type Setting struct{ Name, Value, Why string }

// Suggested returns the suggestion as settings, none if there is no suggestion.
func (p *Profile) Suggested() (out []Setting) {
	if p.columns == "" {
		return nil
	}
	out = append(out, Setting{Name: "columns", Value: p.columns, Why: p.timesWhy})
	if l := p.Suggestion.Label; l != "" {
		out = append(out, Setting{Name: "label", Value: l, Why: p.labelNote()})
	}
	if id := p.Suggestion.ID; id != "" {
		out = append(out, Setting{Name: "id", Value: id})
	}
	if m := p.Suggestion.Metric; m != "" {
		out = append(out, Setting{Name: "metric", Value: string(m)})
	}
	if p.Suggestion.Standardize {
		out = append(out, Setting{Name: "standardize", Value: "true"})
	}
	if p.Suggestion.Fill {
		out = append(out, Setting{Name: "missing", Value: "mean"})
	}
	return out
}

// constant returns an error if all columns that could be in a vector have one value each, or none; nil
// otherwise.
func (p *Profile) constant(o table.Origin) error {
	var names []string
	for i := range p.Columns {
		c := &p.Columns[i]
		switch {
		case slices.ContainsFunc(p.Left, func(l Left) bool { return l.Column == c.Name && l.isID() }):
		case c.Min < c.Max || c.Distinct > 1 || c.Kind == table.Other:
			return nil
		default:
			names = append(names, c.Name)
		}
	}
	if p.Rows < 2 || len(names) == 0 {
		return nil
	}
	return o.Bad("nothing in it tells rows apart: %s the same in all %d rows", areWords(names), p.Rows).Suggest("a map needs columns whose values differ")
}

// areWords returns the names with the verb of their number.
func areWords(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("column %s is", names[0])
	}
	return fmt.Sprintf("columns %s are", table.List(names))
}

// Constant returns what Suggest says of a source whose rows are all alike, "" for others.
func (p *Profile) Constant() string {
	if err := p.constant(table.Origin{}); p.columns == "" && err != nil {
		return err.Error()
	}
	return ""
}

// Unused returns the columns that the suggestion omits, of those that "*" does.
func (p *Profile) Unused() []Left {
	return slices.DeleteFunc(slices.Clone(p.Left), func(l Left) bool {
		isUsed := l.Column == p.Suggestion.Label || l.Column == p.Suggestion.ID
		return isUsed && l.Column != "" || slices.ContainsFunc(p.Suggestion.Columns, func(c ColumnSpec) bool { return c.Name == l.Column })
	})
}

// special reports whether a shell may split or replace a word with the character.
func special(c rune) bool { return strings.ContainsRune(" \t\"$&();<>|*?`[]{}#!\\~", c) }

// Flags returns settings as flags of the command line, in quotes where a shell needs them.
func Flags(settings []Setting) string {
	var words []string
	for _, s := range settings {
		switch word := "--" + s.Name; {
		case s.Name == "columns" || strings.ContainsFunc(s.Value, special):
			words = append(words, word+" '"+s.Value+"'")
		case s.Value == "true":
			words = append(words, word)
		default:
			words = append(words, word+" "+s.Value)
		}
	}
	return strings.Join(words, " ")
}

// tallyCounts decides whether columns are counts of many things, such as words or genes: whole, not
// negative, often 0, and without a common largest value, which the brightness of pixels has.
type tallyCounts struct {
	columns, others int
	values, zeros   float64
	largest         map[float64]int // columns by their largest value
}

func (t *tallyCounts) see(c *ColumnProfile) {
	if !isWhole(c.Type) || c.Min < 0 {
		t.others++
		return
	}
	t.columns++
	t.values, t.zeros = t.values+c.m.n, t.zeros+float64(c.zeros)
	if t.largest == nil {
		t.largest = map[float64]int{}
	}
	t.largest[c.Max]++
}

// are reports whether the columns are counts. It does not distinguish 0/1 columns from counts.
func (t *tallyCounts) are() bool {
	const fewest, share, bright = 20, 0.3, 10
	for most, columns := range t.largest {
		if most > bright && 2*columns > t.columns {
			return false
		}
	}
	return t.others == 0 && t.columns >= fewest && t.zeros >= share*t.values
}

// Suggest returns the mapping that inspect suggests for a file without a vector column, and the
// settings that it adds to o.Mapping: none if o.Mapping names the vector, and at most the label if the
// file has a vector column.
func Suggest(ctx context.Context, path string, o ReadOptions) (Mapping, []Setting, error) {
	m := o.Mapping
	if m.Vector != "" || len(m.Columns) > 0 {
		return m, nil, nil
	}
	r, err := Open(ctx, path, o.Options)
	if err != nil {
		return m, nil, err
	}
	defer r.Close()
	if of := m.ofMap(r.Schema()); of.Vector != "" || len(of.Columns) > 0 {
		return m, nil, nil
	}
	if len(vectorsOf(r.Schema())) > 0 {
		m, settings := m.labelled(r.Schema(), len(o.LabelFiles) > 0)
		return m, settings, nil
	}
	p, err := ReadProfile(ctx, r, nil)
	if err == nil && p.columns == "" {
		err = p.constant(table.Origin{File: path})
	}
	if err != nil || p.columns == "" {
		return m, nil, err
	}
	p.passing, p.labelled = m.Passing(), m.Label != "" || len(o.LabelFiles) > 0
	if p.suggest(); p.columns == "" {
		return m, nil, nil
	}
	p.fitMetric(m.Metric)
	if m.ID != "" || slices.Contains(p.passing, p.Suggestion.ID) {
		p.Suggestion.ID = ""
	} else {
		m.ID = p.Suggestion.ID
	}
	if !p.labelled {
		m.Label = p.Suggestion.Label
	}
	m.Columns = append(m.Columns, p.Suggestion.Columns...)
	if m.Metric == "" {
		m.Metric, m.Standardize = p.Suggestion.Metric, m.Standardize || p.Suggestion.Standardize
	}
	p.Suggestion.Fill = p.Suggestion.Fill && !m.Strict && !m.Drop && !m.Missing
	m.Fill = m.Fill || p.Suggestion.Fill
	return m, p.Suggested(), nil
}

// fitMetric removes what the suggestion must not add to a distance that is chosen: another distance
// or scale; times and means where rows are of 0 and 1; times and text where rows are whitened.
func (p *Profile) fitMetric(chosen Metric) {
	if chosen == "" {
		return
	}
	p.Suggestion.Metric, p.Suggestion.Standardize = "", false
	if !chosen.bits() && !chosen.whitens() {
		return
	}
	p.Suggestion.Fill = p.Suggestion.Fill && chosen.whitens()
	var names []string
	for _, name := range splitEscaped(p.columns, ',') {
		plain := unescape(strings.TrimSuffix(name, ":time"))
		at := slices.IndexFunc(p.Columns, func(c ColumnProfile) bool { return c.Name == plain })
		switch {
		case at >= 0 && (p.Columns[at].Kind == table.Time || p.Columns[at].timed):
		case at >= 0 && p.Columns[at].Kind == table.Text && chosen.whitens():
		default:
			names = append(names, name)
		}
	}
	p.columns = strings.Join(names, ",")
	p.Suggestion.Columns, _ = ParseColumns(p.columns)
}

// escaped escapes a name for ParseColumns.
func escaped(name string) string {
	return specials.Replace(name)
}

var specials = strings.NewReplacer(`\`, `\\`, ",", `\,`, ":", `\:`)
