package csv

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unfold/ingest/table"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// byteOrderMarks are the byte order marks with their encodings.
var byteOrderMarks = []struct{ mark, encoding string }{
	{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
}

// MarkOf returns the encoding of a byte order mark, and the mark.
func MarkOf(head []byte) (name, mark string) {
	for _, m := range byteOrderMarks {
		if strings.HasPrefix(string(head), m.mark) {
			return m.encoding, m.mark
		}
	}
	return "", ""
}

// CheckEncoding returns an error if text cannot be read in an encoding of that name. Names are
// those of the web, such as utf-8, latin1, windows-1251, utf-16, shift_jis.
func CheckEncoding(name string) error {
	_, err := encodingOf(name)
	return err
}

// encodingOf returns nil for UTF-8.
func encodingOf(name string) (encoding.Encoding, error) {
	switch name = strings.ToLower(name); name {
	case "", "utf-8", "utf8":
		return nil, nil
	case "latin-1":
		name = "latin1"
	case "utf16", "utf16le", "utf16be":
		name = "utf-16" + strings.TrimPrefix(name, "utf16")
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		e, err = ianaindex.IANA.Encoding(name)
	}
	if err != nil || e == nil {
		return nil, fmt.Errorf("the encoding %q is not known; names are those of the web, such as latin1, windows-1251, utf-16, shift_jis", name)
	}
	return e, nil
}

// newTextReader returns a reader of the text as UTF-8 without a byte order mark. A mark overrides
// the named encoding. Text that is invalid in the encoding is an *Error with its line.
func newTextReader(in *bufio.Reader, name string, o table.Origin) (io.Reader, error) {
	head, _ := in.Peek(4)
	if says, mark := MarkOf(head); says != "" {
		name = says
		in.Discard(len(mark))
	}
	e, err := encodingOf(name)
	if err != nil {
		return nil, o.Bad("%v", err)
	}
	out := &utf8Reader{r: in, origin: o, buf: make([]byte, 1<<16)}
	if e != nil {
		if strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf16") {
			// The library's decoder replaces invalid text by U+FFFD, which may also occur in valid
			// text.
			out.r, out.from = &utf16Reader{r: in, big: strings.HasSuffix(name, "be")}, name
			return out, nil
		}
		out.r, out.from = e.NewDecoder().Reader(in), name
	}
	return out, nil
}

// utf8Reader passes valid UTF-8 and stops at the first invalid byte.
type utf8Reader struct {
	r      io.Reader
	origin table.Origin
	from   string // the encoding before decoding, "" for none
	buf    []byte
	good   []byte // part of buf: checked, not yet read
	rest   []byte // part of buf: an incomplete character
	lines  int64  // number of complete lines
	err    error
}

func (u *utf8Reader) Read(p []byte) (int, error) {
	for len(u.good) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.good)
	u.good = u.good[n:]
	return n, nil
}

func (u *utf8Reader) fill() {
	kept := copy(u.buf, u.rest)
	n, err := u.r.Read(u.buf[kept:])
	b := u.buf[:kept+n]
	valid := u.valid(b)
	u.good, u.rest, u.err = b[:valid], b[valid:], err
	if errors.Is(err, errUTF16) {
		u.lines += int64(bytes.Count(u.good, []byte("\n")))
		u.err = u.wrong()
		return
	}
	u.lines += int64(bytes.Count(u.good, []byte("\n")))
	if len(u.rest) == 0 || err == nil && !utf8.FullRune(u.rest) {
		return
	}
	if err == nil || err == io.EOF {
		u.err = u.wrong()
	}
}

// valid returns the length of the valid beginning of b. A decoder replaces invalid bytes by
// U+FFFD.
func (u *utf8Reader) valid(b []byte) int {
	if u.from != "" && !strings.HasPrefix(u.from, "utf") {
		if i := bytes.Index(b, []byte("\uFFFD")); i >= 0 {
			return i
		}
	}
	if utf8.Valid(b) {
		return len(b)
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

func (u *utf8Reader) wrong() *table.Error {
	var e *table.Error
	if u.from != "" {
		e = u.origin.Bad("the text is not %s", u.from).Suggest("name the encoding that it is in")
	} else {
		e = u.origin.Bad("the text is not UTF-8 (byte 0x%02x)", u.rest[0]).
			Suggest("if it is %s; other encodings have names such as windows-1251 and shift_jis", likelyEncodings(u.rest))
	}
	e.Line = u.lines + 1
	return e
}

// likelyEncodings names encodings that a text may have, with their options.
func likelyEncodings(text []byte) string {
	const most = 3
	scripts := likelyScripts(text)
	if len(scripts) == 0 {
		return likelyEncoding(text)
	}
	return strings.Join(scripts[:min(most, len(scripts))], ", if it is ")
}

// likelyEncoding names the encoding of one byte a letter in which text has the most letters that are
// common in the west of Europe, and its option.
func likelyEncoding(text []byte) string {
	most, best := 0, "Latin-1 or Windows text say so: --encoding latin1"
	for _, c := range []struct {
		of *charmap.Charmap
		is string
	}{{charmap.Windows1252, best}, {charmap.CodePage850, "text of MS-DOS say so: --encoding cp850"}, {charmap.Macintosh, "text of an old Macintosh say so: --encoding macintosh"}} {
		count := 0
		for _, b := range text {
			if b >= utf8.RuneSelf && strings.ContainsRune("äöüÄÖÜßáàâãåæçéèêëíìîïñóòôõøœúùûÉÀÅØÇ", c.of.DecodeByte(b)) {
				count++
			}
		}
		if count > most {
			most, best = count, c.is
		}
	}
	return best
}
