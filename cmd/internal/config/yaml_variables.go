package config

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// YAML parses the braces of ${NAME} as a mapping inside other braces or brackets, and the colon of
// a default as a key elsewhere. Therefore the characters of variables are replaced before parsing,
// each by one without a meaning in YAML. They are restored in the parsed document. Lines and
// columns stay the same. Values are inserted afterwards, so they cannot break the file.

// masked matches a variable in a file. A default with quotes or backslashes is left to YAML, which
// may have to unescape it.
var masked = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*(?::[^}"'\\\r\n]*)?\}`)

// mask replaces characters by characters of a range that a text does not contain.
type mask struct{ first rune }

// signs is the number of characters that can be replaced: ASCII.
const signs = 0x80

// maskFor finds an unused range for a text, in Unicode's private use area.
func maskFor(text string) mask {
	m := mask{0xF0000}
	for strings.ContainsFunc(text, m.holds) {
		m.first += signs
	}
	return m
}

func (m mask) holds(r rune) bool { return r >= m.first && r < m.first+signs }

// hide replaces the characters of a text's variables.
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

// show restores the characters.
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
