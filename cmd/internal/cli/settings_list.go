package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"unfold/cmd/internal/config"
)

// settingsCmd is a hidden command that lists all settings, for docs/reference/settings.md and for
// other programs.
type settingsCmd struct {
	JSON bool `name:"json" help:"As a JSON list."`
}

// settingInfo is a setting in the list.
type settingInfo struct {
	Key      string   `json:"key"`
	Flag     string   `json:"flag,omitempty"` // of fit, without dashes
	Python   string   `json:"python,omitempty"`
	Default  string   `json:"default"`
	Choices  []string `json:"choices,omitempty"`
	Values   string   `json:"values"`
	Everyday bool     `json:"everyday"`
	Help     string   `json:"help"`
}

// list returns all settings in the order of the configuration.
func (p *program) list() (all []settingInfo) {
	for _, k := range config.Keys(p.Kinds...) {
		l := settingInfo{Key: k.Path, Default: k.Default, Choices: k.Choices, Values: k.Values(), Everyday: k.Common, Help: k.Help, Python: k.Python}
		if k.Bool && l.Default == "" {
			l.Default = "false"
		}
		if name, _, ok := fitKeys(k); ok {
			l.Flag = name
		} else if k.Path == frameKey {
			l.Flag = k.Name()
		}
		if l.Python == "" && l.Flag != "" {
			l.Python = k.Name()
		}
		all = append(all, l)
	}
	return all
}

func (c *settingsCmd) Run(p *program) error {
	if c.JSON {
		e := json.NewEncoder(p.Stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(p.list())
	}
	p.printf("%s", settingsPage(p.list()))
	return nil
}

const settingsHead = `# Settings

All settings of the program. ` + "`unfold settings`" + ` writes this page from their declarations.

- **Key** is the path in the configuration of a stage: ` + "`model.dims`" + ` is ` + "`model: {dims: 2}`" + `. Keys in bold are the everyday ones.
- ` + "`unfold run`" + ` and ` + "`unfold lint`" + ` have a flag for every key, such as ` + "`--model-dims`" + `. Every key is also an environment
  variable, such as ` + "`UNFOLD_MODEL_DIMS`" + `. Flags win over variables, which win over the file.
- **fit** is the flag of ` + "`unfold fit`" + `, if it has one. The Python package has it as a parameter, or takes it in ` + "`settings`" + `, with
  underscores instead of dashes.
- Times are written as ` + "`500ms`, `10s` or `1h30m`, sizes as `64MiB`, shares as `1%` or `0.01`, lists with commas or as lists of YAML" + `.
`

// settingsPage returns the page with a table for each section of the configuration.
func settingsPage(all []settingInfo) string {
	var b strings.Builder
	b.WriteString(settingsHead)
	last := ""
	for _, l := range all {
		section, _, below := strings.Cut(l.Key, ".")
		if !below {
			section = "the stage"
		}
		if section != last {
			fmt.Fprintf(&b, "\n## %s\n\n| key | fit | default | values | |\n|---|---|---|---|---|\n", strings.ToUpper(section[:1])+strings.ReplaceAll(section[1:], "_", " "))
			last = section
		}
		key, flag, standard := codeSpan(l.Key), "", ""
		if l.Everyday {
			key = "**" + key + "**"
		}
		if l.Flag != "" {
			flag = codeSpan("--" + l.Flag)
		}
		if l.Default != "" {
			standard = codeSpan(l.Default)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", key, flag, standard, escaped(l.Values), escaped(l.Help))
	}
	return b.String()
}

func codeSpan(text string) string { return "`" + text + "`" }

// escaped escapes characters with a meaning in the tables of Markdown.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`).Replace(text)
}
