package ingest

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Use describes how a column contributes to the vector.
type Use struct {
	Column string `json:"column"`
	// As describes the encoding, for example "number, standardized" or "5 categories".
	As string `json:"as"`
	// Elements is the number of the column's elements, before a metric.
	Elements int `json:"elements"`
}

// Uses returns the contributions of all columns in the order of their elements.
func (e *Encoder) Uses() []Use {
	if e.vector != "" {
		as := "vector"
		if e.log1p {
			as += ", log1p"
		}
		if e.element != nil {
			as += ", standardized"
		}
		return []Use{{e.vector, as, e.inner}}
	}
	out := make([]Use, len(e.columns))
	for i := range e.columns {
		c := &e.columns[i]
		out[i] = Use{c.Name, c.as(), c.width()}
	}
	return out
}

// as returns a description of a column's encoding.
func (c *columnCode) as() string {
	switch {
	case c.Tokens > 0:
		return fmt.Sprintf("words of text, hashed into %d", c.Tokens)
	case c.Period > 0:
		return "circle"
	case c.Kind == table.Text:
		return fmt.Sprintf("%d categories", len(c.Categories))
	}
	as := c.Kind.String()
	if c.Log1p {
		as += ", log1p"
	}
	switch {
	case c.Scale.Factor == 0:
		as += ", the same in all rows"
	case c.Kind == table.Number && c.Scale.Mean != 0 || c.Kind == table.Time && c.Scale.Factor != 1:
		as += ", standardized"
	}
	return as
}

// DescribeUses describes in one line how columns are encoded. It names the first few columns of
// each encoding.
func DescribeUses(uses []Use) string {
	const most = 6
	var ways []string
	names := map[string][]string{}
	for _, u := range uses {
		if names[u.As] == nil {
			ways = append(ways, u.As)
		}
		names[u.As] = append(names[u.As], u.Column)
	}
	parts := make([]string, len(ways))
	for i, as := range ways {
		list := names[as]
		if len(list) > most {
			list = append(slices.Clone(list[:most]), fmt.Sprintf("... %d in all", len(list)))
		}
		parts[i] = fmt.Sprintf("%s (%s)", table.Line(strings.Join(list, ", ")), as)
	}
	return strings.Join(parts, "; ")
}

// Duplicates returns the share of rows that equal an earlier row in their values as given.
func (d *Dataset) Duplicates() float64 {
	hashes := slices.Clone(d.hashes)
	if hashes == nil {
		hashes = hashesOf(d.X, maphash.MakeSeed())
	}
	return 1 - float64(distinct(hashes))/float64(max(len(hashes), 1))
}

// hashesOf returns the hashes of the bits of rows.
func hashesOf(x vec.Matrix[float32], seed maphash.Seed) []uint64 {
	hashes := make([]uint64, x.Rows)
	for i := range hashes {
		hashes[i] = maphash.Bytes(seed, arrow.Float32Traits.CastToBytes(x.Row(i)))
	}
	return hashes
}

// distinct returns the number of different hashes. It sorts them.
func distinct(hashes []uint64) int {
	slices.Sort(hashes)
	return len(slices.Compact(hashes))
}
