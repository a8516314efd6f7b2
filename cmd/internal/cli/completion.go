package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completeVerb is the hidden command that shell completion calls. It returns the words that may
// stand at the cursor.
const completeVerb = "complete-words"

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `Writes the commands that teach a shell what unfold takes: its commands, their flags, and the words that a flag allows.
Where a file is wanted the shell completes names of files.

    source <(unfold completion bash)                                      # this shell; put it into ~/.bashrc for all
    source <(unfold completion zsh)                                       # likewise ~/.zshrc, below compinit
    unfold completion fish > ~/.config/fish/completions/unfold.fish`
}

func (c *completionCmd) Run(p *program) error {
	p.printf("%s", scripts[c.Shell])
	return nil
}

// scripts pass the words up to the cursor to the hidden command, which returns a candidate a line.
// bash splits words at = and expects the part after it.
var scripts = map[string]string{
	"bash": `_unfold() {
    local word cut=
    [[ $COMP_WORDBREAKS == *=* ]] && cut='*='
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        [[ -n $word ]] && COMPREPLY+=("${word#$cut}")
    done < <("${COMP_WORDS[0]}" ` + completeVerb + ` -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _unfold unfold
`,
	"zsh": `#compdef unfold
_unfold() {
    local line word
    local -a found shown
    for line in "${(@f)$("${words[1]}" ` + completeVerb + ` -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        word=${line%%$'\t'*}
        [[ -n $word ]] && { found+=("$word"); shown+=("${line/$'\t'/  }") }
    done
    if (( $#found )); then compadd -l -d shown -- "${found[@]}"; else _files; fi
}
compdef _unfold unfold
`,
	"fish": `function __unfold_words
    set -l words (commandline -opc) (commandline -ct)
    $words[1] ` + completeVerb + ` -- $words[2..-1] 2>/dev/null
end
complete -c unfold -n 'test (count (__unfold_words)) -gt 0' -f -a '(__unfold_words)'
`,
}

// completeCmd prints the candidates: a line for each word, with its help after a tab.
type completeCmd struct {
	Words []string `arg:"" optional:"" help:"The words of the command line, the last one as far as it is typed."`
}

func (c *completeCmd) Run(p *program) error {
	found, err := complete(joinAssigned(c.Words), p.System)
	if err != nil {
		return err
	}
	for _, w := range found {
		p.printf("%s\t%s\n", w.word, w.help)
	}
	return nil
}

// joinAssigned rejoins the words that bash splits at =: "--kind", "=", "lvm".
func joinAssigned(words []string) []string {
	var out []string
	for i, w := range words {
		if n := len(out); n > 0 && (w == "=" || i > 0 && words[i-1] == "=") && strings.HasPrefix(out[n-1], "--") {
			out[n-1] += w
			continue
		}
		out = append(out, w)
	}
	return out
}

// candidate is a word that may stand at the cursor.
type candidate struct{ word, help string }

// complete returns the candidates for the last word of a command line, which may be incomplete. No
// candidates means that a file name or nothing may follow.
func complete(words []string, sys System) ([]candidate, error) {
	if len(words) == 0 {
		words = []string{""}
	}
	sys.Args = words
	parser, err := newParser(new(everywhere), sys)
	if err != nil {
		return nil, err
	}
	node, awaited, arguments := parser.Model.Node, (*kong.Flag)(nil), 0
	for _, w := range words[:len(words)-1] {
		child := childOf(node, w)
		switch {
		case awaited != nil:
			awaited = nil
		case strings.HasPrefix(w, "-") && w != "-":
			if f := flagNamed(node, w); f != nil && !f.IsBool() {
				awaited = f
			}
		case child != nil:
			node = child
		default:
			arguments++
		}
	}
	last := words[len(words)-1]
	name, _, assigned := strings.Cut(last, "=")
	var all []candidate
	switch {
	case awaited != nil:
		all = choices(awaited.Value, "")
	case assigned && strings.HasPrefix(last, "--"):
		if f := flagNamed(node, name); f != nil {
			all = choices(f.Value, name+"=")
		}
	case strings.HasPrefix(last, "-"):
		all = flagWords(node)
	case len(node.Children) > 0:
		for _, c := range node.Children {
			if !c.Hidden {
				all = append(all, candidate{c.Name, c.Help})
			}
		}
	case arguments < len(node.Positional):
		all = choices(node.Positional[arguments], "")
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, last) }), nil
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// flagNamed returns the flag whose value follows word, which is --name or -n. It returns nil for
// --name=value, which has its value already.
func flagNamed(node *kong.Node, word string) *kong.Flag {
	for _, level := range node.AllFlags(false) {
		for _, f := range level {
			if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

func flagWords(node *kong.Node) []candidate {
	var out []candidate
	for _, level := range node.AllFlags(true) {
		for _, f := range level {
			help, _, _ := strings.Cut(f.Help, ". ")
			out = append(out, candidate{"--" + f.Name, strings.TrimSuffix(help, ".")})
		}
	}
	return out
}

// choices returns the values that v accepts, each after prefix. It returns nothing if any value is
// accepted.
func choices(v *kong.Value, prefix string) []candidate {
	words := v.EnumSlice()
	if list := v.Tag.Get(tagChoices); list != "" {
		words = strings.Split(list, ",")
	}
	var out []candidate
	for _, w := range words {
		if w != "" {
			out = append(out, candidate{word: prefix + w})
		}
	}
	return out
}
