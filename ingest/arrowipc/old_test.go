package arrowipc

import (
	"errors"
	"testing"
)

// Arrow before version 0.15 wrote messages without a continuation marker. They are not corrupt.
func TestMessagesOfOldArrowAreNamed(t *testing.T) {
	unsupported := func(content []byte) (bool, error) {
		_, err := Check(content, Limits{})
		var u *Unsupported
		return errors.As(err, &u), err
	}
	old := append([]byte("\x7c\x07\x00\x00\x10\x00\x00\x00\x00\x00\x0a\x00\x0c\x00\x06\x00"), make([]byte, 0x780)...)
	if is, err := unsupported(old); !is {
		t.Errorf("error %v", err)
	}
	if is, err := unsupported([]byte("a,b\n1,2\n3,4\n5,6\n7,8\n")); is || err == nil {
		t.Errorf("of text: error %v", err)
	}
}
