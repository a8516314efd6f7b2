//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shells complete without a terminal. The first argument is the script, the words of the command
// line follow.
var shells = []struct{ name, drive string }{
	{"bash", `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _unfold; printf '%s\n' "${COMPREPLY[@]}"`},
	{"zsh", `compdef() { : }; compadd() { shift 4; print -l -- "$@" }; _files() { print FILES }
		source "$1"; shift; words=("$@"); CURRENT=$#; _unfold`},
	{"fish", `source $argv[1]; complete -C (string join ' ' -- $argv[2..-1]) | string replace -r '\t.*' ''; true`},
}

// Each installed shell completes the program's suggestions.
func TestShellsComplete(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "unfold")); err != nil {
		t.Fatal(err)
	}
	for _, shell := range shells {
		path, err := exec.LookPath(shell.name)
		if err != nil {
			if shell.name == "bash" {
				t.Error(err)
			}
			t.Logf("%s is not here: its script is checked by testdata/completion.txt alone", shell.name)
			continue
		}
		script := filepath.Join(bin, shell.name)
		write(t, script, must(t, "completion", shell.name))
		for _, tt := range []struct {
			name  string
			words []string
			want  []string
		}{
			{"a command", []string{"unfold", "insp"}, []string{"inspect"}},
			{"a flag that few need", []string{"unfold", "run", "--source-kafka-on-g"}, []string{"--source-kafka-on-gap"}},
			{"a flag's word", []string{"unfold", "run", "--delivery", "exactly-o"}, []string{"exactly-once"}},
			{"a command below another", []string{"unfold", "dlq", "rep"}, []string{"replay"}},
		} {
			t.Run(shell.name+" "+tt.name, func(t *testing.T) {
				args := append([]string{"-c", shell.drive}, tt.words...)
				if shell.name == "fish" {
					args = slices.Insert(args, 2, script)
				} else {
					args = slices.Insert(args, 2, shell.name, script)
				}
				cmd := exec.Command(path, args...)
				cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
				out, err := cmd.CombinedOutput()
				if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("%v: %q, expected %q", err, out, tt.want)
				}
			})
		}
	}
}
