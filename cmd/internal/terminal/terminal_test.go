package terminal

import (
	"bytes"
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

func TestWriters(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprintf(Messages(&b), "%s: \x1b[2J\n", "https://u:SECRET@h/x?t=SECRET")
	fmt.Fprintf(People(&b), "%s\x1b[2J\n", "https://h/x?t=1")
	if got, want := b.String(), "https://***@h/x?t=***: "+`\x1b[2J`+"\nhttps://h/x?t=1"+`\x1b[2J`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
