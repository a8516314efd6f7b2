package main

import (
	"strings"

	"unfold/bench/internal/harness"
)

// before is the content of an existing page. A run of some rows leaves the others unchanged.
type before struct {
	sections map[string]string // a row's section, by its title
	targets  map[string]string // a line of the table of targets, by its first cell
	versions map[string]string // by program
}

// readBefore reads a page, an empty one if it does not exist.
func readBefore(path string) (before, error) {
	text, err := harness.ReadPage(path)
	return parseBefore(text), err
}

func parseBefore(page string) before {
	p := before{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, section := range strings.Split("\n"+strings.ReplaceAll(page, harness.Details, ""), "\n## ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		switch title {
		case "Targets":
			for line := range strings.Lines(rest) {
				if name, _, ok := cells(line); ok {
					p.targets[name] = line
				}
			}
		case "Versions":
			for line := range strings.Lines(rest) {
				if name, version, ok := cells(line); ok {
					p.versions[name] = version
				}
			}
		default:
			p.sections[title] = "## " + strings.TrimRight(section, "\n") + "\n\n"
		}
	}
	return p
}

// asked returns the part of the page for rows that are measured only on request.
func (p before) asked() before {
	kept := parseBefore("")
	for _, x := range rows() {
		if !x.asked {
			continue
		}
		if text, is := p.sections[x.title]; is {
			kept.sections[x.title] = text
		}
		for _, y := range x.targets {
			name := x.title + ": " + y.what
			kept.targets[name] = p.targets[name]
		}
	}
	return kept
}

// cells returns the first two cells of a line of a table.
func cells(line string) (first, second string, ok bool) {
	parts := strings.Split(line, " | ")
	if len(parts) < 2 || !strings.HasPrefix(line, "| ") {
		return "", "", false
	}
	return strings.TrimPrefix(parts[0], "| "), strings.TrimSuffix(strings.TrimSpace(parts[1]), " |"), true
}

// holds reports whether the page contains results of a row.
func (p before) holds(x row) bool {
	text, ok := p.sections[x.title]
	return ok && !strings.HasSuffix(text, notMeasured)
}

// verdict returns the last cell of a line of the table of targets.
func (p before) verdict(name string) string {
	line := strings.TrimSuffix(strings.TrimSpace(p.targets[name]), " |")
	return line[strings.LastIndex(line, "| ")+2:]
}
