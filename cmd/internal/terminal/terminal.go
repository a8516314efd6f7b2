// Package terminal makes text safe for a terminal. Names of columns and files, values, and
// responses of other programs may contain control sequences, which can move the cursor, change the
// window's title, hide text, or write to the clipboard.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"unfold/internal/address"
)

// Escape escapes control characters and direction marks as \x1b or \u009b, except tabs and line
// breaks. It replaces invalid UTF-8 by U+FFFD.
func Escape(text string) string {
	if strings.IndexFunc(text, controls) < 0 && utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case !controls(r):
			out.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// Name is Escape for a single word, such as a table cell: it also escapes tabs and line ends.
func Name(text string) string { return Escape(lines.Replace(text)) }

var lines = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`)

// controls reports whether a character controls the display instead of being visible.
func controls(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0: // C0, DEL and C1
		return true
	}
	// Direction marks, embeddings, overrides and isolates, and line separators.
	return r == 0x200e || r == 0x200f || r == 0x061c || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// People returns a writer of results to w that escapes them. Each Write must contain whole
// characters.
func People(w io.Writer) io.Writer { return writer{w, Escape} }

// JSON returns a writer of JSON texts to w. Encoders leave some characters that control the display in
// strings as they are; the writer escapes them by JSON's rules. Each Write must contain whole
// characters.
func JSON(w io.Writer) io.Writer {
	return writer{w, func(text string) string {
		if strings.IndexFunc(text, controls) < 0 {
			return text
		}
		var out strings.Builder
		for _, r := range text {
			if controls(r) {
				fmt.Fprintf(&out, `\u%04x`, r)
			} else {
				out.WriteRune(r)
			}
		}
		return out.String()
	}}
}

// Messages returns a writer of errors, notes and logs to w that also hides secrets in addresses.
// Each Write must contain whole messages.
func Messages(w io.Writer) io.Writer {
	return writer{w, func(text string) string { return Escape(address.Redact(text)) }}
}

type writer struct {
	w    io.Writer
	tidy func(string) string
}

func (t writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.w, t.tidy(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
