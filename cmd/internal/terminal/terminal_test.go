package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain \t and\nlines, Zürich 東京 👩‍🚀": "plain \t and\nlines, Zürich 東京 👩‍🚀",
		"\x1b]0;title\a":   `\x1b]0;title\x07`,
		"a\rb\x7f":         `a\x0db\x7f`,
		"\u009b31m red":    `\u009b31m red`,
		"abc\u202efdp.exe": `abc\u202efdp.exe`,
		"\xff\x1b":         "\ufffd" + `\x1b`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := Name("a\tb\nc\r"); got != `a\tb\nc\r` {
		t.Errorf("%q", got)
	}
}

// A wide table has many names.
func TestNameAllocatesNothingForPlainText(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Name("feature_12 µm") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Text that passes through JSON is the same, and contains no control characters on the way.
func TestJSON(t *testing.T) {
	const text = "a\x1b\u009b31m\u202e\n\x7f\u2067 Zürich"
	var b bytes.Buffer
	if err := json.NewEncoder(JSON(&b)).Encode(text); err != nil {
		t.Fatal(err)
	}
	if i := bytes.IndexFunc(b.Bytes(), controls); i >= 0 {
		t.Errorf("%q contains a control character", b.Bytes())
	}
	var got string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != text {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWriters(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprintf(Messages(&b), "%s: \x1b[2J\n", "https://u:SECRET@h/x?t=SECRET")
	fmt.Fprintf(People(&b), "%s\x1b[2J\n", "https://h/x?t=1")
	if got, want := b.String(), "https://***@h/x?t=***: "+`\x1b[2J`+"\nhttps://h/x?t=1"+`\x1b[2J`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
