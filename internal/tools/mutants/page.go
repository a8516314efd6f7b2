package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const head = `# Small changes that tests notice

Written by ` + "`make mutants`" + `. It changes one small thing of a package at a time: a condition is negated, a comparison moved to its edge,
conditions are joined the other way, 1 becomes 0, or a statement is dropped. A change is killed if the package's own quick tests
notice it; those tests that reach it are run, the quickest first. A package keeps its line until it is tried again.

Tests that take far longer with a change than without are run again at once without it. The change counts only if they are then quick
again, or if their failure repeats. So failures that a busy machine causes do not count. "Ended" counts killed changes whose tests did not end by themselves.

Seconds are those of the tests without a change: processor time in lines with "cpu". Older lines have times by the clock, on
machines with other work.

Some changes have no effect that a test could see. Those are "equivalent", each with its reason in
` + "`internal/tools/mutants/equivalent.txt`" + `. They are tried, but do not count in the percentage.

| package | changes | tried | equivalent | killed | of them ended | not reached by the tests | seconds of the tests | tried on |
|---|---:|---|---:|---:|---:|---:|---:|---|
`

const survivors = "\n## Survivors and equivalent changes\n"

// page maps the name of a package to its entry on the page.
type page map[string]entry

type entry struct {
	row  string // its row of the table
	list string // its survivors; empty if there are none
}

// readPage parses a page written by String.
func readPage(text string) page {
	p := page{}
	table, lists, _ := strings.Cut(text, survivors)
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if name, isRow := strings.CutPrefix(cells[0], "| "); isRow && name != "package" {
			p[name] = entry{row: line}
		}
	}
	for _, section := range strings.Split(lists, "\n### ")[1:] {
		name, list, _ := strings.Cut(section, "\n\n")
		p[name] = entry{p[name].row, strings.TrimRight(list, "\n") + "\n"}
	}
	return p
}

// add replaces the entry of the result's package.
func (p page) add(r result) {
	var b strings.Builder
	for _, s := range r.Survivors {
		line(&b, s, "")
	}
	for _, s := range r.Missed {
		line(&b, s, ", not reached")
	}
	for _, s := range r.Equivalent {
		line(&b, s.site, ", equivalent ("+s.Reason+")")
	}
	name := strings.TrimPrefix(r.Package, "./")
	row := fmt.Sprintf("| %s | %d | %s | %d | %d (%.1f %%) | %d | %d | %.1f cpu | %s |\n", name, r.Sites, r.Drawn, len(r.Equivalent), r.killed(),
		r.rate(), r.Ended, len(r.Missed), r.Seconds, r.Day)
	p[name] = entry{row, b.String()}
}

// String returns the text of the page, with packages ordered by name.
func (p page) String() string {
	var b strings.Builder
	b.WriteString(head)
	names := slices.Sorted(maps.Keys(p))
	for _, name := range names {
		b.WriteString(p[name].row)
	}
	b.WriteString(survivors)
	for _, name := range names {
		if list := p[name].list; list != "" {
			fmt.Fprintf(&b, "\n### %s\n\n%s", name, list)
		}
	}
	return b.String()
}

// line writes a change as an item of a list.
func line(b *strings.Builder, s site, more string) {
	fmt.Fprintf(b, "- `%s:%d`: %s%s: `%s`\n", s.File, s.Line, s.Kind, more, strings.ReplaceAll(s.Text, "`", "'"))
}
