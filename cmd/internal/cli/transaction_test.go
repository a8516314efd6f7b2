package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func TestOutputsGetTheirNamesTogether(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout bytes.Buffer
	outputs := &transaction{stdout: &stdout}
	for path, text := range map[string]string{"model": "m", "report": "r", "-": "on standard output"} {
		if err := outputs.write(path, say(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"model", "report"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s has its name before the others are written", name)
		}
	}
	if stdout.Len() > 0 {
		t.Error("standard output was written before the files")
	}
	if err := outputs.commit(); err != nil {
		t.Fatal(err)
	}
	outputs.abort() // has no effect after commit
	if got := listing(t); got != "model\nreport\n" || stdout.String() != "on standard output" {
		t.Errorf("the folder holds\n%sstandard output %q", got, &stdout)
	}
}

// If one of several outputs fails while it is written or renamed, none is left.
func TestFailedOutputLeavesNone(t *testing.T) {
	t.Chdir(t.TempDir())
	broken := errors.New("broken")
	for _, when := range []string{"writing", "naming"} {
		outputs := &transaction{}
		err := outputs.write("model", say("m"))
		if err == nil && when == "writing" {
			err = outputs.write("report", func(io.Writer) error { return broken })
		}
		if err == nil {
			err = outputs.write("report", say("r"))
		}
		if err == nil {
			if err := os.Mkdir("report", 0o755); err != nil { // the name is taken
				t.Fatal(err)
			}
			err = outputs.commit()
		}
		outputs.abort()
		if err == nil {
			t.Errorf("%s: no error", when)
		}
		if got := strings.ReplaceAll(listing(t), "report\n", ""); got != "" {
			t.Errorf("%s: the folder holds\n%s", when, got)
		}
	}
}
