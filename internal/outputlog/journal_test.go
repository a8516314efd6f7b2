package outputlog

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// The journal keeps the writes of all goroutines, and each write stays in one piece.
func TestJournal(t *testing.T) {
	const writers, lines = 8, 100
	var j Journal
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range lines {
				fmt.Fprintf(&j, "writer %d, line %d\n", w, i)
				if last := fmt.Sprintf("writer %d, line %d\n", w, i); !strings.Contains(j.String(), last) {
					t.Errorf("%q is not there once it was written", last)
				}
			}
		})
	}
	wg.Wait()
	if n := j.Count(regexp.MustCompile(`(?m)^writer \d, line \d+$`)); n != writers*lines {
		t.Errorf("%d whole lines, want %d", n, writers*lines)
	}
	if n := j.Count(regexp.MustCompile(`(?m)^writer 3, line 99$`)); n != 1 {
		t.Errorf("one line is there %d times", n)
	}
}

// A bounded journal keeps its beginning, and writers get no error.
func TestMost(t *testing.T) {
	j := Journal{Most: 10}
	for _, text := range []string{"begin ", "of it all ", "and no end"} {
		if n, err := j.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d bytes, %v", text, n, err)
		}
	}
	if got := j.String(); got != "begin of it all " {
		t.Errorf("it keeps %q", got)
	}
}
