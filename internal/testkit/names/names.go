// Package names resolves host names by a table, for tests of the addresses that a name may resolve
// to.
package names

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// Set makes this process resolve the names in the table until the test ends, and no others. A name
// whose addresses are given as "a|b" resolves to one after the other: first to a, then to b.
// Tests that use it cannot run in parallel.
func Set(t *testing.T, table map[string]string) {
	t.Helper()
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	times := map[string]int{}
	answers := make(chan func(), 64)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() { // owns times
		for {
			select {
			case f := <-answers:
				f()
			case <-done:
				return
			}
		}
	}()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			var size [2]byte
			if _, err := io.ReadFull(ours, size[:]); err != nil {
				return
			}
			query := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(ours, query); err != nil {
				return
			}
			answered := make(chan []byte, 1)
			answers <- func() { answered <- answer(query, table, times) }
			a := <-answered
			_, _ = ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...))
		}()
		return theirs, nil
	}}
}

// Types of DNS records.
const (
	typeA    = 1
	typeAAAA = 28
)

// answer returns the response to a DNS query of one question.
func answer(query []byte, table map[string]string, times map[string]int) []byte {
	end, name := 12, ""
	for query[end] != 0 {
		n := int(query[end])
		name += string(query[end+1:end+1+n]) + "."
		end += n + 1
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	question := query[12 : end+5]
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	var records []byte
	count := uint16(0)
	text, known := table[name]
	if turns := strings.Split(text, "|"); known && len(turns) > 1 {
		// Both types of one look-up are asked for.
		text = turns[min(times[name]/2, len(turns)-1)]
		times[name]++
	}
	for _, one := range strings.Fields(text) {
		a := netip.MustParseAddr(one)
		data := a.AsSlice()
		if is := map[int]uint16{4: typeA, 16: typeAAAA}[len(data)]; is == kind {
			records = append(records, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(data)))
			records = append(records, data...)
			count++
		}
	}
	out := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1}, byte(count>>8), byte(count), 0, 0, 0, 0)
	if !known {
		out[3] |= 3 // no such name
	}
	return append(append(out, question...), records...)
}
