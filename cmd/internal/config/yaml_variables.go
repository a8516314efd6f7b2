package config

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// YAML takes the braces of ${NAME} for a mapping where it is itself within braces or
// brackets, and the colon of a default for one elsewhere. So before the file is parsed the
// signs of variables are replaced, each by one that means nothing to YAML, and put back in
// what was parsed. Lines and columns stay as they are, and what a variable stands for is
// put in only then: it cannot break the file.

// masked is a variable in a file. One with quotes or backslashes in its default is left to
// YAML, which may have to read them.
var masked = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*(?::[^}"'\\\r\n]*)?\}`)

// mask replaces signs by those of a range that a text does not use.
type mask struct{ first rune }

// signs is how many there are to be replaced: ASCII.
const signs = 0x80

// maskFor finds a range for a text, among what Unicode leaves to private use.
func maskFor(text string) mask {
	m := mask{0xF0000}
	for strings.ContainsFunc(text, m.holds) {
		m.first += signs
	}
	return m
}

func (m mask) holds(r rune) bool { return r >= m.first && r < m.first+signs }

// hide replaces the signs of a text's variables.
func (m mask) hide(text string) string {
	return masked.ReplaceAllStringFunc(text, func(variable string) string {
		return strings.Map(func(r rune) rune {
			if r < signs {
				r += m.first
			}
			return r
		}, variable)
	})
}

// show puts the signs back.
func (m mask) show(text string) string {
	return strings.Map(func(r rune) rune {
		if m.holds(r) {
			r -= m.first
		}
		return r
	}, text)
}

// parseYAML parses a file with variables in it.
func parseYAML(text []byte) (doc yaml.Node, problem string) {
	m := maskFor(string(text))
	if err := yaml.Unmarshal([]byte(m.hide(string(text))), &doc); err != nil {
		return doc, m.show(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	m.showIn(&doc)
	return doc, ""
}

func (m mask) showIn(n *yaml.Node) {
	n.Value = m.show(n.Value)
	for _, c := range n.Content {
		m.showIn(c)
	}
}
