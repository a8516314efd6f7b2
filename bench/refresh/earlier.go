package main

import (
	"regexp"
	"strings"

	"unfold/bench/internal/harness"
)

// earlier is the content of a page for scenarios without results at hand.
type earlier struct {
	sections map[string]string // by heading
	targets  map[string]string // lines of the table, by their first two cells
	where    string            // from the page's head, for sections that do not name their runs
}

var whereOfHead = regexp.MustCompile(`(?s)on \d+ cores.*? threads`)

// readEarlier reads a page, an empty one if it does not exist.
func readEarlier(path string) (*earlier, error) {
	e := &earlier{sections: map[string]string{}, targets: map[string]string{}}
	text, err := harness.ReadPage(path)
	if err != nil {
		return nil, err
	}
	head, rest, _ := strings.Cut(text, "\n## ")
	e.where = strings.ReplaceAll(whereOfHead.FindString(head), "\n", " ")
	for _, line := range strings.Split(text, "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 5 {
			e.targets[cells[0]+" | "+cells[1]] = line
		}
	}
	for _, s := range strings.Split(rest, "\n## ") {
		heading, body, _ := strings.Cut(s, "\n")
		e.sections[heading] = strings.Trim(body, "\n")
	}
	return e, nil
}

// section returns the section of a heading with its run, "" if there is none.
func (e *earlier) section(heading string) string {
	s := e.sections[heading]
	if s != "" && !strings.HasPrefix(s, runOf) {
		s = runOf + " before runs were named, " + e.where + ".\n\n" + s
	}
	return s
}

// take copies the page's lines to unknown targets.
func (e *earlier) take(list []target) {
	for i := range list {
		if b := &list[i]; !b.known {
			b.earlier = e.targets["| "+b.scenario+" | "+b.what]
		}
	}
}

// verdictOf is the last cell of a line of targets.
func verdictOf(line string) string {
	for _, v := range []string{harness.Met, harness.Missed, harness.ToyData} {
		if strings.HasSuffix(line, "| "+v+" |") {
			return v
		}
	}
	return harness.NotMeasured
}
