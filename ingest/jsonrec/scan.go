package jsonrec

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON from valid UTF-8. Its methods advance at and return whether the bytes are well
// formed; if not, err describes the problem.
type scanner struct {
	data  []byte
	at    int
	depth int // of values around this one
	most  int // depth that is allowed
	err   *syntaxError
}

// syntaxError is a problem at an offset of the message.
type syntaxError struct {
	at      int
	problem string
	advice  string
}

// fail keeps the first error.
func (s *scanner) fail(at int, problem string, args ...any) bool {
	if s.err == nil {
		s.err = &syntaxError{at: at, problem: fmt.Sprintf(problem, args...)}
	}
	return false
}

// found describes the byte at the current position, for errors.
func (s *scanner) found() string {
	if s.at >= len(s.data) {
		return "it ends"
	}
	r, _ := utf8.DecodeRune(s.data[s.at:])
	return fmt.Sprintf("there is %q", r)
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// enter consumes the opening bracket of an object or a list.
func (s *scanner) enter() bool {
	if s.depth++; s.depth > s.most {
		return s.fail(s.at, "values are nested more than %d deep", s.most)
	}
	s.at++
	return true
}

// first reports whether an entered object or list has elements. If it has none, its closing bracket
// is consumed. After each element, more is called.
func (s *scanner) first(end byte) bool {
	if s.peek() == end {
		s.at++
		s.depth--
		return false
	}
	return true
}

// more consumes the comma before the next element or the closing bracket; ok is false if there is
// neither.
func (s *scanner) more(end byte) (more, ok bool) {
	switch s.peek() {
	case ',':
		s.at++
		return true, true
	case end:
		s.at++
		s.depth--
		return false, true
	}
	return false, s.fail(s.at, "%s where a comma or %q is expected", s.found(), end)
}

// key reads the name of a field and the colon after it.
func (s *scanner) key() (raw []byte, escaped, ok bool) {
	if s.peek() != '"' {
		return nil, false, s.fail(s.at, "%s where a field's name in quotes is expected", s.found())
	}
	if raw, escaped, ok = s.text(); !ok {
		return nil, false, false
	}
	if s.peek() != ':' {
		return nil, false, s.fail(s.at, "%s where a colon is expected", s.found())
	}
	s.at++
	return raw, escaped, true
}

// text reads a string, and returns the bytes between its quotes.
func (s *scanner) text() (raw []byte, escaped, ok bool) {
	start := s.at
	s.at++
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.data[start+1 : s.at-1], escaped, true
		case c == '\\':
			escaped = true
			if !s.escape() {
				return nil, false, false
			}
		case c < 0x20:
			return nil, false, s.fail(s.at, "the control character %q stands in a text", c)
		default:
			s.at++
		}
	}
	return nil, false, s.fail(start, "the text that begins here has no end")
}

// escape passes over an escape.
func (s *scanner) escape() bool {
	if s.at+1 >= len(s.data) {
		return s.fail(s.at, "it ends within a text")
	}
	switch s.data[s.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at += 2
		return true
	case 'u':
		if _, ok := hex4(s.data[s.at+2:]); ok {
			s.at += 6
			return true
		}
	}
	return s.fail(s.at, "a backslash does not begin an escape that JSON has")
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape appends the decoded form of a string with escapes. Unpaired surrogates become U+FFFD.
func unescape(to, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			to = append(to, raw[i])
			i++
			continue
		}
		switch c := raw[i+1]; c {
		case 'b':
			to = append(to, '\b')
		case 'f':
			to = append(to, '\f')
		case 'n':
			to = append(to, '\n')
		case 'r':
			to = append(to, '\r')
		case 't':
			to = append(to, '\t')
		case 'u':
			r, _ := hex4(raw[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				second := utf8.RuneError
				if len(raw) >= i+6 && raw[i] == '\\' && raw[i+1] == 'u' {
					second, _ = hex4(raw[i+2:])
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					i += 6
				}
			}
			to = utf8.AppendRune(to, r)
			continue
		default:
			to = append(to, c)
		}
		i += 2
	}
	return to
}

// word passes over true, false or null.
func (s *scanner) word(w string) bool {
	if len(s.data)-s.at < len(w) || string(s.data[s.at:s.at+len(w)]) != w {
		return s.fail(s.at, "%s where a value is expected", s.found())
	}
	s.at += len(w)
	return true
}

// skip passes over a value.
func (s *scanner) skip() bool {
	switch c := s.peek(); c {
	case '{', '[':
		return s.skipNested(c + 2) // the bracket that closes
	case '"':
		_, _, ok := s.text()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	_, ok := s.number()
	return ok
}

func (s *scanner) skipNested(end byte) bool {
	if !s.enter() {
		return false
	}
	for more := s.first(end); more; {
		ok := true
		if end == '}' {
			_, _, ok = s.key()
		}
		if !ok || !s.skip() {
			return false
		}
		if more, ok = s.more(end); !ok {
			return false
		}
	}
	return true
}
