package csv

import (
	"regexp"
	"strings"
)

// Programs that print tables draw lines around names or records: psql, mysql, sqlite, Markdown,
// reStructuredText. Such lines are left out. Fields between bars, also those of box drawing, are
// trimmed, and bars at the ends of a line are its border. Without bars the line's dashes have the
// columns' places, since fields may contain blanks.

// drawnLine matches a line that has only the signs of drawn lines.
var drawnLine = regexp.MustCompile(`^[-+=|:. \t┌┬┐├┼┤└┴┘─│╭╮╰╯═]*(--|==|──|═)[-+=|:. \t┌┬┐├┼┤└┴┘─│╭╮╰╯═]*$`)

// dashes are those of a column.
var dashes = regexp.MustCompile(`[-=:.─═]+`)

// lookDrawn is the number of lines among which the first drawn line stands.
const lookDrawn = 4

// guessDrawn sets the separator and the places of a table that is drawn. It returns a description, ""
// for other texts.
func (d *dialect) guessDrawn(text string) string {
	rest := text
	for range lookDrawn {
		line := firstLine(rest)
		rest = afterLines(rest, 1)
		groups := dashes.FindAllStringIndex(line, -1)
		if !drawnLine.MatchString(line) || len(groups) < 2 {
			continue
		}
		d.drawn = true
		switch {
		case strings.Contains(text, "│"):
			d.comma = '│'
		case strings.ContainsAny(line, "|+"):
			d.comma = '|'
		default:
			d.comma = ' '
			for _, g := range groups {
				d.starts = append(d.starts, len([]rune(line[:g[0]])))
			}
		}
		return "lines that draw the table left out, such as " + strings.TrimSpace(line[:min(len(line), 20)])
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	if isBordered(lines) {
		d.drawn, d.comma = true, '|'
		return "bars at both ends of all lines left out"
	}
	return d.guessIPAC(lines)
}

// guessIPAC recognises tables of astronomers: up to four lines between bars have names, types, units
// and the word for a missing value, and the bars' places are those of the columns below.
func (d *dialect) guessIPAC(lines []string) string {
	heads := 0
	for heads < len(lines) && isBordered(lines[heads:heads+1]) {
		heads++
	}
	if heads == 0 || heads > 4 || heads == len(lines) || strings.Contains(lines[heads], "|") {
		return ""
	}
	d.drawn, d.comma, d.skip = true, ' ', d.skip+heads
	head := strings.TrimRight(lines[0], " \t")
	for i, r := range []rune(head[:len(head)-1]) {
		if r == '|' {
			d.starts = append(d.starts, i)
		}
	}
	for name := range strings.SplitSeq(strings.Trim(head, "| \t"), "|") {
		d.names = append(d.names, strings.TrimSpace(name))
	}
	return "header: yes, the first line between bars, with types and units below"
}

// isBordered reports whether the first lines begin and end with bars, and have others between.
func isBordered(lines []string) bool {
	for _, line := range lines[:min(len(lines), lookRecords)] {
		line = strings.Trim(line, " \t")
		if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
			return false
		}
	}
	return len(lines) > 0 && strings.Count(lines[0], "|") > 2
}

// splitDrawn splits a line of a drawn table into trimmed fields.
func (t *textRecords) splitDrawn(line string) []string {
	t.fields = t.fields[:0]
	if t.starts == nil {
		bar := string(t.sep)
		line = strings.Trim(line, " \t")
		if inner := strings.TrimPrefix(line, bar); inner != line {
			line = strings.TrimSuffix(inner, bar)
		}
		for field := range strings.SplitSeq(line, bar) {
			t.fields = append(t.fields, strings.Trim(field, " \t"))
		}
		return t.fields
	}
	runes := []rune(line)
	for i, from := range t.starts {
		to := len(runes)
		if i+1 < len(t.starts) {
			to = min(to, t.starts[i+1])
		}
		t.fields = append(t.fields, strings.TrimSpace(string(runes[min(from, to):to])))
	}
	return t.fields
}
