package ingest

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Columns that become several elements without learning: cyclic values, and words of text.

// maxTokens is the maximum of ColumnSpec.Tokens.
const maxTokens = 1 << 14

// period parses ColumnSpec.Cyclic: a number in the units of the column, or a duration in days.
func period(text string) (v float64, times bool, err error) {
	days := map[string]float64{"day": 1, "week": 7, "year": 365.2425} // the Gregorian mean year
	v, times = days[text]
	if count, is := strings.CutSuffix(text, "d"); is && !times {
		v, err = strconv.ParseFloat(count, 64)
		times = true
	} else if !times {
		if v, err = strconv.ParseFloat(text, 64); err != nil {
			var d time.Duration
			d, err = time.ParseDuration(text)
			v, times = d.Hours()/24, true
		}
	}
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, false, fmt.Errorf("the period %q is neither a positive number nor a time such as 24h, 7d, day, week or year", text)
	}
	return v, times, nil
}

// encodeCyclic writes w (cos a, sin a) with a = 2 pi v / period. The mean squared distance of two
// rows is at most that of a standardized number, 2 w^2.
func encodeCyclic[T vec.Float](c *columnCode, col table.Column, x vec.Matrix[T], at int, o table.Origin, missing bool) error {
	return c.each(col, o, missing, func(i int, v float64) error {
		sin, cos := math.Sincos(2 * math.Pi * math.Mod(v, c.Period) / c.Period)
		x.Data[i*x.Cols+at], x.Data[i*x.Cols+at+1] = T(c.Scale.Factor*cos), T(c.Scale.Factor*sin)
		return nil
	})
}

// encodeTokens writes the counts of the words of a text. The hash of a word determines its element
// and its sign, so that colliding words cancel on average (Weinberger et al. 2009, "Feature hashing
// for large scale multitask learning", eq. 1). A row has length w, or 0 without words.
func encodeTokens[T vec.Float](c *columnCode, col table.Column, x vec.Matrix[T], at int, o table.Origin, missing bool) error {
	counts := make([]float64, c.Tokens)
	for i := range x.Rows {
		row := x.Data[i*x.Cols+at : i*x.Cols+at+c.Tokens]
		if col.IsNull(i) || missing && isEmpty(col, i) {
			if !missing {
				return table.Null(o, i, c.Name)
			}
			for k := range row {
				row[k] = T(math.NaN())
			}
			continue
		}
		clear(counts)
		for word := range strings.FieldsFuncSeq(strings.ToLower(category(col, i)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			h := fnv.New64a()
			h.Write([]byte(word))
			sum := h.Sum64()
			sign := 1 - 2*float64(sum>>63)
			counts[sum%uint64(c.Tokens)] += sign
		}
		square := 0.0
		for _, v := range counts {
			square += v * v
		}
		for k, v := range counts {
			row[k] = 0
			if square > 0 {
				row[k] = T(c.Scale.Factor * v / math.Sqrt(square))
			}
		}
	}
	return nil
}

// each calls f with every row's value as a number (times as days), until it returns an error.
func (c *columnCode) each(col table.Column, o table.Origin, missing bool, f func(i int, v float64) error) error {
	read := table.NumbersOf
	if c.Kind == table.Time {
		read = table.DaysOf
	}
	get, err := read(col, o, missing)
	if err != nil {
		return err
	}
	for i := range col.Len() {
		v, err := get(i)
		if err == nil {
			err = f(i, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// encodeColumn writes the column's elements of every row, from element at on. Missing values are
// errors, or NaN if missing is true. The memory of x must be zero.
func encodeColumn[T vec.Float](c *columnCode, col table.Column, x vec.Matrix[T], at int, o table.Origin, missing bool) error {
	switch {
	case c.Tokens > 0:
		return encodeTokens(c, col, x, at, o, missing)
	case c.Period > 0:
		return encodeCyclic(c, col, x, at, o, missing)
	case c.Kind == table.Text:
		return encodeText(c, col, x, at, o, missing)
	}
	return encodeNumber(c, col, x, at, o, missing)
}

// elements returns the names of the column's elements.
func (c *columnCode) elements() []string {
	switch {
	case c.Tokens > 0:
		names := make([]string, c.Tokens)
		for k := range names {
			names[k] = fmt.Sprintf("%s#%d", c.Name, k)
		}
		return names
	case c.Period > 0:
		return []string{c.Name + ":cos", c.Name + ":sin"}
	case c.Kind == table.Text:
		names := make([]string, 0, len(c.Categories)+1)
		for _, w := range c.Categories {
			names = append(names, c.Name+"="+w)
		}
		return append(names, c.Name+"=?")
	}
	return []string{c.Name}
}
