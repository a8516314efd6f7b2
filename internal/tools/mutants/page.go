package main

import (
	"fmt"
	"strings"
)

const head = `# Small changes that tests notice

Written by ` + "`make mutants`" + `. It changes one small thing of a package at a time: a condition is negated, a comparison moved to its edge,
conditions are joined the other way, 1 becomes 0, or a statement is dropped. A change is killed if the package's own quick tests
fail, or do not end in time; those tests that reach it are run, the quickest first. At most %d changes of a package are tried, at equal distances in its sources.

| package | changes | tried | killed | not reached by the tests | seconds of the tests |
|---|---:|---:|---:|---:|---:|
`

// format returns the page of the results.
func format(all []result, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, most)
	for _, r := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d (%.0f %%) | %d | %.1f |\n", strings.TrimPrefix(r.Package, "./"), r.Sites, r.Tried, r.killed(),
			100*float64(r.killed())/float64(max(r.Tried, 1)), len(r.Missed), r.Seconds)
	}
	b.WriteString("\n## Survivors\n\nSome of them change nothing that a test could see: a log line, a shortcut, an edge that cannot occur.\n")
	for _, r := range all {
		if len(r.Missed)+len(r.Survivors) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", strings.TrimPrefix(r.Package, "./"))
		for _, s := range r.Survivors {
			line(&b, s, "")
		}
		for _, s := range r.Missed {
			line(&b, s, ", not reached")
		}
	}
	return b.String()
}

// line writes a change as an item of a list.
func line(b *strings.Builder, s site, more string) {
	fmt.Fprintf(b, "- `%s:%d`: %s%s: `%s`\n", s.File, s.Line, s.Kind, more, strings.ReplaceAll(s.Text, "`", "'"))
}
