package csv

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// errUTF16 is the error of invalid UTF-16: a surrogate without its other half, or half a unit.
var errUTF16 = errors.New("not UTF-16")

// utf16Reader decodes UTF-16 and stops at an error.
type utf16Reader struct {
	r   *bufio.Reader
	big bool
}

// unit returns the next unit without reading it.
func (u *utf16Reader) unit(at int) (rune, error) {
	b, err := u.r.Peek(at + 2)
	if len(b) == at+1 && err == io.EOF {
		return 0, errUTF16
	}
	if err != nil {
		return 0, err
	}
	if u.big {
		return rune(b[at])<<8 | rune(b[at+1]), nil
	}
	return rune(b[at+1])<<8 | rune(b[at]), nil
}

// Read reads whole characters into p, which must have room for at least one.
func (u *utf16Reader) Read(p []byte) (n int, err error) {
	for len(p)-n >= utf8.UTFMax {
		if n > 0 && u.r.Buffered() < 4 {
			break
		}
		c, err := u.unit(0)
		if err != nil {
			return n, err
		}
		size := 2
		if utf16.IsSurrogate(c) {
			low, err := u.unit(2)
			if err == io.EOF {
				err = errUTF16
			}
			if c = utf16.DecodeRune(c, low); err == nil && c == utf8.RuneError {
				err = errUTF16
			}
			if err != nil {
				return n, err
			}
			size = 4
		}
		u.r.Discard(size)
		n += utf8.EncodeRune(p[n:], c)
	}
	return n, nil
}
