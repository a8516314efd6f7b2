package input

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// TestUnxz decompresses, and refuses blocks that ask for gigabytes of memory before it allocates them.
func TestUnxz(t *testing.T) {
	var packed bytes.Buffer
	w, err := xz.NewWriter(&packed)
	if err == nil {
		_, err = io.WriteString(w, "a,b\n1,2\n")
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	b := packed.Bytes()
	r, err := Unxz(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "a,b\n1,2\n" {
		t.Errorf("%q, %v", text, err)
	}
	at := bytes.Index(b, []byte{0x21, 1})
	if at < 0 || dictionaryOf(b) > xzDictionary {
		t.Fatalf("no filter in %x", b[:32])
	}
	b[at+2] = 40 // 4 GiB - 1
	if _, err := Unxz(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), "its dictionary takes 4095 MiB") {
		t.Errorf("a dictionary of 4 GiB: %v", err)
	}
	for n := range b { // of any length
		if r, err := Unxz(bytes.NewReader(packed.Bytes()[:n])); err == nil {
			if _, err := io.ReadAll(r); err == nil {
				t.Errorf("the first %d bytes are read", n)
			}
		}
	}
}
