package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"unfold/internal/setting"
)

// readYAML applies the settings of the file and returns all problems in it.
func (c *Config) readYAML(path string, text []byte, env Lookup) []Problem {
	doc, problem := parseYAML(text)
	if problem != "" {
		return []Problem{{Where: path, Message: "not YAML: " + problem}}
	}
	if len(doc.Content) == 0 {
		return nil
	}
	r := reader{c: c, path: path, env: env, keys: keysOf(c.Model.kinds), seen: map[string]bool{}}
	r.mapping("", doc.Content[0])
	return r.problems
}

type reader struct {
	c        *Config
	path     string
	env      Lookup
	keys     []Key
	seen     map[string]bool
	problems []Problem
}

func (r *reader) complain(n *yaml.Node, key, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Where: fmt.Sprintf("%s:%d:%d", r.path, n.Line, n.Column), Key: key, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// mapping reads the settings below prefix.
func (r *reader) mapping(prefix string, n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // "source:" without a value
	}
	if n.Kind != yaml.MappingNode {
		r.complain(n, prefix, "", "expected settings by name (%s), not %s", strings.Join(r.below(prefix), ", "), kindName(n))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		full := strings.Trim(prefix+"."+name.Value, ".")
		if r.seen[full] {
			r.complain(name, full, "", "given twice")
			continue
		}
		r.seen[full] = true
		switch k, isKey := r.find(full); {
		case isKey:
			r.set(k, value)
		case slices.ContainsFunc(r.keys, func(k Key) bool { return strings.HasPrefix(k.Path, full+".") }):
			r.mapping(full, value)
		default:
			r.complain(name, full, r.suggest(prefix, name.Value), "there is no such setting")
		}
	}
}

func (r *reader) find(path string) (Key, bool) {
	for _, k := range r.keys {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}

// below returns the names directly below prefix.
func (r *reader) below(prefix string) []string {
	var names []string
	for _, k := range r.keys {
		rest := k.Path
		if prefix != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(k.Path, prefix+"."); !ok {
				continue
			}
		}
		name, _, _ := strings.Cut(rest, ".")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// suggest returns a hint for an unknown name: a similar name at this place, the same name
// elsewhere, or otherwise the names at this place.
func (r *reader) suggest(prefix, name string) string {
	names := r.below(prefix)
	if near := setting.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %s?", strings.Trim(prefix+"."+near, "."))
	}
	for _, k := range r.keys {
		if k.Name() == name {
			return fmt.Sprintf("did you mean %s?", k.Path)
		}
	}
	return "there are " + strings.Join(names, ", ")
}

func (r *reader) set(k Key, n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind == yaml.SequenceNode && k.List:
		var parts []string
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				r.complain(item, k.Path, "", "expected a word, not %s", kindName(item))
				return
			}
			text, ok := r.expand(k, item)
			if !ok {
				return
			}
			parts = append(parts, text)
		}
		if err := k.SetList(r.c, parts); err != nil {
			r.complain(n, k.Path, "", "%v", err)
		}
	case n.Kind == yaml.ScalarNode:
		text, ok := r.expand(k, n)
		if n.Tag == "!!null" {
			text = ""
		}
		if !ok || text == "" && n.Tag == "!!null" && k.Default != "" {
			return // without a value the default applies
		}
		if err := k.Set(r.c, text); err != nil {
			r.complain(n, k.Path, "", "%v", err)
		}
	default:
		r.complain(n, k.Path, "", "expected one value, not %s", kindName(n))
	}
}

// variable matches ${NAME}, ${NAME:default}, and $${, the escape of ${.
var variable = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)?(:[^}]*)?\}?`)

// expand replaces the variables in a scalar by their values.
func (r *reader) expand(k Key, n *yaml.Node) (string, bool) {
	good := true
	text := variable.ReplaceAllStringFunc(n.Value, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m[1:]
		}
		part := variable.FindStringSubmatch(m)
		if part[1] == "" || !strings.HasSuffix(m, "}") {
			good = false
			r.complain(n, k.Path, "write ${NAME} or ${NAME:default}; $${ stands for a plain ${", "%q names no variable", m)
			return ""
		}
		if v, ok := r.env(part[1]); ok {
			return v
		}
		if part[2] == "" {
			good = false
			r.complain(n, k.Path, fmt.Sprintf("set it, or write ${%s:default}", part[1]), "the environment has no variable %s", part[1])
		}
		return strings.TrimPrefix(part[2], ":")
	})
	return text, good
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "settings by name"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("the value %q", n.Value)
}
