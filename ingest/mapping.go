package ingest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest/emit"
	"unfold/ingest/table"
)

// Mapping selects the columns of a record that are encoded as its vector, and those that are passed
// on. The zero value encodes the only vector column. The tag setting of a
// stored field has the name of the setting, the text of its zero value and, unless that is its value,
// the text of another value (see Differences).
type Mapping struct {
	// Vector is the name of the vector column. It excludes Columns.
	Vector string `json:"vector,omitempty" yaml:"vector,omitempty" setting:"vector,(none)"`
	// Columns are plain columns. Their encodings form the vector in this order.
	Columns []ColumnSpec `json:"columns,omitempty" yaml:"columns,omitempty" setting:"columns,(none)"`
	// Log1p and Standardize apply to every encoded number: elements of the vector column or number
	// columns, but not booleans and categories.
	Log1p       bool `json:"log1p,omitempty" yaml:"log1p,omitempty" setting:"log1p,false"`
	Standardize bool `json:"standardize,omitempty" yaml:"standardize,omitempty" setting:"standardize,false"`
	// MaxVocabulary is the maximum number of categories of a text column; 0 means
	// DefaultVocabulary.
	MaxVocabulary int `json:"max_vocabulary,omitempty" yaml:"max_vocabulary,omitempty" setting:"vocabulary,64"`
	// Mixed includes columns of text and times in "*", except for those that identify rows.
	Mixed bool `json:"mixed,omitempty" yaml:"mixed,omitempty" setting:"mixed,false"`
	// Metric is the distance between rows; "" means Euclidean.
	Metric Metric `json:"metric,omitempty" yaml:"metric,omitempty" setting:"metric,euclidean"`
	// Fill replaces nulls and NaN by the column's mean.
	Fill bool `json:"fill,omitempty" yaml:"fill,omitempty" setting:"missing,error,mean"`
	// Drop makes ReadAll drop rows with a null or NaN in an encoded column.
	Drop bool `json:"-" yaml:"-"`
	// Missing encodes nulls and NaN as NaN, for models that support missing values. Otherwise they
	// are errors.
	Missing bool `json:"-" yaml:"-"`
	// Strict keeps Suggest from filling nulls and NaN, so that they are errors.
	Strict bool `json:"-" yaml:"-"`
	// AsIs encodes values unchanged. The Fitter learns nothing to subtract, and its encoder is
	// known before any row.
	AsIs bool `json:"-" yaml:"-"`
	// OfMap reads a map: if no columns are named, the vector is the place, and the columns id and
	// label are used.
	OfMap bool `json:"-" yaml:"-"`
	// Selection contains the columns that are passed on.
	Selection `yaml:",inline"`
}

// Differences describes the stored fields in which another mapping differs, with the names of their
// settings.
func (m Mapping) Differences(now Mapping) (all []string) {
	was, is := reflect.ValueOf(m), reflect.ValueOf(now)
	for i := range was.NumField() {
		words := strings.Split(was.Type().Field(i).Tag.Get("setting"), ",")
		if words[0] == "" {
			continue
		}
		if a, b := settingText(was.Field(i), words), settingText(is.Field(i), words); a != b {
			all = append(all, fmt.Sprintf("%s %s, and the settings say %s", words[0], a, b))
		}
	}
	return all
}

func settingText(v reflect.Value, words []string) string {
	list := v.Kind() == reflect.Slice
	switch {
	case v.IsZero(), list && v.Len() == 0:
		return words[1]
	case len(words) > 2:
		return words[2]
	case list:
		if text, err := json.Marshal(v.Interface()); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v.Interface())
}

// ofMap returns the mapping completed by OfMap for a schema.
func (m Mapping) ofMap(s table.Schema) Mapping {
	if !m.OfMap {
		return m
	}
	if names := emit.Coordinates(s); m.Vector == "" && len(m.Columns) == 0 && len(names) > 0 {
		if f, _ := s.Find(names[0]); f.Kind == table.Vector {
			m.Vector = f.Name
		} else {
			for _, name := range names {
				m.Columns = append(m.Columns, ColumnSpec{Name: name})
			}
		}
	}
	encoded := func(name string) bool {
		return slices.ContainsFunc(m.Columns, func(c ColumnSpec) bool { return c.Name == name })
	}
	for name, to := range map[string]*string{emit.IDName: &m.ID, LabelName: &m.Label} {
		if f, ok := s.Find(name); ok && f.Kind != table.Vector && *to == "" && !encoded(name) {
			*to = name
		}
	}
	return m
}

// DefaultVocabulary is the default number of categories of a text column that have their own
// element (Mapping.MaxVocabulary).
const DefaultVocabulary = 64

// ColumnSpec is one column of Mapping.Columns.
type ColumnSpec struct {
	// Name is the name of the column, or the dotted path of a field of a struct. "*" selects every
	// number and boolean column that is not named otherwise and does not identify rows (see
	// Fitter.Left). A pattern such as "f*" or "f?" selects those of them that match. "-name" and
	// "-f*" exclude columns.
	Name string `json:"name" yaml:"name"`
	// Log1p replaces v by sign(v) log(1+|v|).
	Log1p bool `json:"log1p,omitempty" yaml:"log1p,omitempty"`
	// Standardize subtracts the mean and divides by the standard deviation of the records on which
	// the encoder was fitted, after Log1p. A column that was constant then is always encoded as 0.
	Standardize bool `json:"standardize,omitempty" yaml:"standardize,omitempty"`
	// Weight multiplies the final encoding; 0 means 1.
	Weight float64 `json:"weight,omitempty" yaml:"weight,omitempty"`
	// Time parses text as times.
	Time bool `json:"time,omitempty" yaml:"time,omitempty"`
	// Cyclic is the period of the values: 24h, 7d, day, week or year for times, a number for
	// numbers. The column becomes a point on a circle of radius 1.
	Cyclic string `json:"cyclic,omitempty" yaml:"cyclic,omitempty"`
	// Tokens is the number of elements into which the words of a text column are hashed.
	Tokens int `json:"tokens,omitempty" yaml:"tokens,omitempty"`
}

// special reports whether an option can encode columns that are not numbers.
func (c *ColumnSpec) special() bool { return c.Time || c.Cyclic != "" || c.Tokens > 0 }

// ParseColumns parses the text form of Mapping.Columns: names separated by commas, each with
// options after colons, as in
//
//	src_bytes:log1p:standardize,service:weight=0.5,*:standardize,-difficulty
//	at:cyclic=24h,message:tokens=256,sensor.temperature,f*
//
// A backslash escapes the next character.
func ParseColumns(text string) ([]ColumnSpec, error) {
	var specs []ColumnSpec
	for _, item := range splitEscaped(text, ',') {
		parts := splitEscaped(item, ':')
		c := ColumnSpec{Name: unescape(strings.TrimSpace(parts[0]))}
		if c.Name == "" {
			return nil, fmt.Errorf("columns %q: a name is empty", text)
		}
		for _, option := range parts[1:] {
			if err := c.set(strings.TrimSpace(option)); err != nil {
				return nil, fmt.Errorf("columns %q: column %q: %w", text, c.Name, err)
			}
		}
		specs = append(specs, c)
	}
	return specs, nil
}

func (c *ColumnSpec) set(option string) error {
	key, value, has := strings.Cut(option, "=")
	switch {
	case key == "log1p" && !has:
		c.Log1p = true
	case key == "standardize" && !has:
		c.Standardize = true
	case key == "time" && !has:
		c.Time = true
	case key == "cyclic" && has:
		if _, _, err := period(value); err != nil {
			return err
		}
		c.Cyclic = value
	case key == "tokens" && has:
		n, err := strconv.Atoi(value)
		if err != nil || n < 2 || n > maxTokens {
			return fmt.Errorf("tokens %q is not a number from 2 to %d", value, maxTokens)
		}
		c.Tokens = n
	case key == "weight" && has:
		w, err := strconv.ParseFloat(value, 64)
		if err != nil || !(w > 0) || !table.Finite32(w) {
			return fmt.Errorf("weight %q is not a positive number", value)
		}
		c.Weight = w
	default:
		hint := ""
		if near := table.Nearest(key, []string{"log1p", "standardize", "weight", "time", "cyclic", "tokens"}); near != "" {
			hint = fmt.Sprintf("did you mean %q? ", near)
		}
		return fmt.Errorf("unknown option %q; %soptions are log1p, standardize, weight=NUMBER, time, cyclic=PERIOD, tokens=N", option, hint)
	}
	return nil
}

// splitEscaped splits at separators without a preceding backslash. Escapes are kept.
func splitEscaped(s string, sep byte) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case sep:
			out, start = append(out, s[start:i]), i+1
		}
	}
	return append(out, s[start:])
}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Check returns an error if settings are wrong or exclude each other, for any schema.
func (m Mapping) Check() error {
	if m.Vector != "" && len(m.Columns) > 0 {
		return fmt.Errorf("both a vector column (%q) and columns are named; name one or the other", m.Vector)
	}
	if m.MaxVocabulary < 0 {
		return fmt.Errorf("the vocabulary's bound is %d; it must be positive", m.MaxVocabulary)
	}
	if err := m.Metric.Check(); err != nil {
		return err
	}
	if m.Missing && m.Metric.named() {
		return fmt.Errorf("values may not be missing with the metric %s", m.Metric)
	}
	if err := m.checkScales(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range m.Columns {
		if c.Name == "" {
			return fmt.Errorf("a column to encode has no name")
		}
		if seen[c.Name] {
			return fmt.Errorf("column %q is named twice", c.Name)
		}
		if c.Weight < 0 || !table.Finite32(c.Weight) {
			return fmt.Errorf("column %q: weight %v is not a positive number", c.Name, c.Weight)
		}
		seen[c.Name] = true
	}
	return nil
}

// checkScales returns an error if an option of the mapping leads to other values than 0 and 1 for a
// metric of bits, or scales columns for a metric that does so itself.
func (m Mapping) checkScales() error {
	bits, reason := m.Metric.bits(), ""
	switch {
	case bits:
		reason = "the metric %s counts columns: leave out %s, which makes other values than 0 and 1"
	case m.Metric.whitens():
		reason = "the metric %s scales all columns by itself: leave out %s"
	default:
		return nil
	}
	refuse := func(what string) error { return fmt.Errorf(reason, m.Metric, what) }
	switch {
	case bits && m.Log1p:
		return refuse("log1p")
	case m.Standardize:
		return refuse("standardize")
	case m.Mixed:
		return refuse("mixed")
	case bits && m.Fill:
		return refuse("the means of missing values")
	}
	for _, c := range m.Columns {
		if bits && c.Log1p || c.Standardize || c.special() || c.Weight != 0 && c.Weight != 1 {
			return refuse(fmt.Sprintf("the options of column %q", c.Name))
		}
	}
	return nil
}

// resolve finds the columns to encode in a schema: one vector column, or plain columns with "*"
// expanded. o is the origin for errors.
func (m Mapping) resolve(s table.Schema, o table.Origin) (vector string, specs []ColumnSpec, left []Left, err error) {
	if err := m.Check(); err != nil {
		return "", nil, nil, err
	}
	used := append([]string{m.ID, m.Label}, m.Keep...)
	for _, name := range used {
		if _, ok := s.Find(name); !ok && name != "" {
			return "", nil, nil, table.UnknownColumn(o, name, s.Flat().Names())
		}
	}
	if len(m.Columns) == 0 {
		vector, err = m.findVector(s, o)
		used = append(used, vector)
	} else {
		specs, left, err = m.expand(s, o)
		for _, c := range specs {
			used = append(used, c.Name)
		}
	}
	count := make(map[string]int, len(s))
	for _, f := range s {
		count[f.Name]++
	}
	for _, name := range used {
		if err == nil && name != "" && count[name] != 1 {
			err = s.Ambiguous(name, o)
		}
	}
	return vector, specs, left, err
}

func (m Mapping) findVector(s table.Schema, o table.Origin) (string, error) {
	if m.Vector != "" {
		f, ok := s.Find(m.Vector)
		if !ok {
			return "", table.UnknownColumn(o, m.Vector, s.Flat().Names())
		}
		if !isVector(f.Kind) {
			e := o.BadColumn(f.Name, "its type is %s, not a list of numbers", f.Type)
			if hint := table.SparseHint(f.Type); hint != "" {
				return "", e.Suggest("%s", hint)
			}
			return "", e.Suggest("vector columns are: %s; number columns can be named one by one", table.List(s.Of(table.Vector, table.SparseVector)))
		}
		return f.Name, nil
	}
	switch vectors := vectorsOf(s); len(vectors) {
	case 1:
		return vectors[0], nil
	case 0:
		return "", o.Bad("there is no vector column").
			Suggest("name the columns to use (by columns or --columns; \"*\" is every number that is no id); number and boolean columns are: %s", table.List(s.Of(table.Number, table.Bool)))
	default:
		return "", o.Bad("there are %d vector columns", len(vectors)).Suggest("name one of: %s", table.List(vectors))
	}
}

// isVector reports whether a column of a kind can be a row's vector alone.
func isVector(k table.Kind) bool { return k == table.Vector || k == table.SparseVector }

// vectorsOf returns the columns that may be the vector: the only list of numbers, or otherwise all
// lists and sparse vectors. Sparse vectors count less, because maps and lists of structs may have
// another meaning.
func vectorsOf(s table.Schema) []string {
	if lists := s.Of(table.Vector); len(lists) == 1 {
		return lists
	}
	return s.Of(table.Vector, table.SparseVector)
}

// expand replaces "*", patterns and "-name", and checks that every column can be encoded.
func (m Mapping) expand(s table.Schema, o table.Origin) ([]ColumnSpec, []Left, error) {
	used, out, err := m.spoken(s, o)
	if err != nil {
		return nil, nil, err
	}
	var specs []ColumnSpec
	var left []Left
	taken := make(map[string]bool, len(s))
	for _, name := range used {
		taken[name] = true
	}
	for _, c := range m.Columns {
		f, ok := s.Find(c.Name)
		switch {
		case ok && (f.Kind == table.Other || isVector(f.Kind)):
			e := o.BadColumn(f.Name, "its type, %s, cannot be one element of a vector", f.Type)
			if f.Parts != nil && f.Kind == table.Other {
				return nil, nil, e.Suggest("name its fields: %s", table.List(table.Schema{f}.Flat().Names()))
			}
			return nil, nil, e.Suggest("numbers, booleans, times and text can; a list of numbers is named alone, as the vector")
		case ok:
			specs = append(specs, c)
		case isPattern(c.Name):
			matched, pattern := false, expressionOf(c.Name)
			for _, f := range s.Flat() {
				if !pattern.MatchString(f.Name) {
					continue
				}
				matched = true
				if f.Name == "" {
					left = append(left, Left{f.Name, "it has no name"})
					continue
				}
				if taken[f.Name] || slices.ContainsFunc(out, func(p string) bool { return matches(p, f.Name) }) {
					continue
				}
				taken[f.Name] = true
				if why := m.whyLeft(f, c); why != "" {
					left = append(left, Left{f.Name, why})
					continue
				}
				all := c
				all.Name = f.Name
				specs = append(specs, all)
			}
			if !matched && c.Name != "*" {
				return nil, nil, o.Bad("no column matches %q", c.Name).Suggest("the columns are %s", table.List(s.Flat().Names()))
			}
		case !strings.HasPrefix(c.Name, "-"):
			return nil, nil, table.UnknownColumn(o, c.Name, s.Flat().Names())
		}
	}
	if len(specs) == 0 {
		return nil, nil, noneLeft(o, s, left)
	}
	return specs, left, nil
}

// spoken returns the columns that are named explicitly, which no pattern may select, and the
// patterns of excluded columns.
func (m Mapping) spoken(s table.Schema, o table.Origin) (used, out []string, err error) {
	used = append([]string{m.ID, m.Label}, m.Keep...)
	for _, c := range m.Columns {
		name, less := strings.CutPrefix(c.Name, "-")
		if _, ok := s.Find(c.Name); ok || !less {
			if !isPattern(c.Name) || ok {
				used = append(used, c.Name)
			}
			continue
		}
		if _, ok := s.Find(name); !ok && isPattern(name) {
			out = append(out, name)
			continue
		} else if !ok {
			return nil, nil, table.UnknownColumn(o, name, s.Flat().Names())
		}
		used = append(used, name)
	}
	return used, out, nil
}

// Several reports whether the name is "*", a pattern, or an exclusion.
func (c ColumnSpec) Several() bool { return isPattern(c.Name) || strings.HasPrefix(c.Name, "-") }

// isPattern reports whether a name can select several columns.
func isPattern(name string) bool {
	return strings.ContainsAny(name, "*?") && !strings.HasPrefix(name, "-")
}

// matches reports whether a pattern selects a name: * matches any run of characters, ? any single
// one.
func matches(pattern, name string) bool { return expressionOf(pattern).MatchString(name) }

// expressionOf converts a pattern to a regular expression.
func expressionOf(pattern string) *regexp.Regexp {
	expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("(?s)^" + expression + "$")
}

// noneLeft returns the error for columns if none of them is encoded.
func noneLeft(o table.Origin, s table.Schema, left []Left) *table.Error {
	e := o.Bad("no column is left to encode")
	if len(left) > 0 {
		return e.Suggest("%s", DescribeLeft(left))
	}
	return e.Suggest("the columns are %s", s)
}
