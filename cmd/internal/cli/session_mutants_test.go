package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/cmd/internal/serve"
	"unfold/internal/testkit/mutate"
	"unfold/internal/testkit/tier"
)

// Mutated requests get one answer each, and the session continues: it answers the next request
// normally.
func TestMutantsOfSessions(t *testing.T) {
	each := 100
	if tier.All() {
		each = 1000
	}
	a := ask(t)
	r, refused := rand.New(rand.NewPCG(46, 14)), 0
	for i := range each {
		body := mutate.JSON(r, []byte(`{"args":["version","--quiet"],"progress":true,"cancel":false}`))
		a.send(string(body))
		// A request that cancels has no answer.
		var request sessionRequest
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if d.Decode(&request) != nil || !request.Cancel {
			if end := a.end(); end.Code != exitDone {
				if refused++; end.Code != exitUsage || end.Error == "" {
					t.Errorf("mutant %d, %s: %+v", i, body, end)
				}
			}
		}
		if end, _ := a.run("version"); end.Code != exitDone || !strings.HasPrefix(end.Output, "unfold ") {
			t.Fatalf("behind mutant %d, %s: %+v", i, body, end)
		}
	}
	t.Logf("%d mutants, %d of them refused", each, refused)
}

// end returns the next end of a command.
func (a *asked) end() *sessionEnd {
	for {
		if next := a.next(); next.End != nil {
			return next.End
		}
	}
}

// FuzzSession reads arbitrary bytes as requests. Each invalid request gets an answer, which is a
// complete frame.
func FuzzSession(f *testing.F) {
	frame := func(text string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	}
	f.Add(frame(`{"args":["version"]}`))
	f.Add(append(frame(`{"cancel":true}`), frame(`{"args":1}`)...))
	f.Add(frame("null")[:5])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '{'})
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		s := &session{out: &out}
		requests, cancels := make(chan sessionRequest), make(chan struct{}, 1)
		done := make(chan int)
		go func() {
			n := 0
			for range requests {
				n++
			}
			done <- n
		}()
		err := s.read(context.Background(), bufio.NewReader(bytes.NewReader(in)), requests, cancels)
		close(requests)
		if n := <-done; 4*n > len(in) {
			t.Errorf("%d requests in %d bytes", n, len(in))
		}
		for r := bufio.NewReader(&out); ; {
			body, failed := serve.ReadFrame(r, 1<<24)
			if failed == io.EOF {
				break
			}
			var a sessionAnswer
			if failed != nil || json.Unmarshal(body, &a) != nil || a.End == nil || a.End.Code != exitUsage {
				t.Fatalf("an answer is %q (%v); reading ended with %v", body, failed, err)
			}
		}
	})
}
