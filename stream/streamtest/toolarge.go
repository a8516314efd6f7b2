package streamtest

import (
	"bytes"
	"fmt"

	"unfold/stream"
)

func testTooLarge(b *bench) { tooLarge(b, false) }

func testTooLargeExactlyOnce(b *bench) { tooLarge(b, true) }

// tooLarge runs a stage whose topics reject some of its outputs and dead letters as too large, and
// lowers the limits between two runs.
func tooLarge(b *bench, exactlyOnce bool) {
	s := newStage(b, &Learner{})
	s.exactlyOnce = exactlyOnce
	const each, large, junk = 40, 7, 11
	events := 0
	feed := func(from int) {
		for p := range 2 {
			var messages []stream.Message
			for n := from; n < from+each; n++ {
				m := stream.Message{Key: fmt.Append(nil, "key ", n%3), Value: fmt.Append(nil, n)}
				switch {
				case n%junk == 5:
					m.Value = bytes.Repeat([]byte("junk"), 2000)
				case n%large == 3:
					for i := range 500 {
						m.Value = fmt.Append(m.Value, " ", n+i)
					}
				}
				events += 1 + bytes.Count(m.Value, []byte(" "))
				messages = append(messages, m)
			}
			b.h.Produce(b.T, b.topic, p, messages...)
		}
	}
	for i, limit := range []int{3000, 1200} {
		b.h.Limit(b.T, s.out, limit)
		b.h.Limit(b.T, s.dlq, 2*limit)
		feed(i * each)
		s.until(events)
	}
	c := s.check()
	if c.Placed+c.Letters != 4*each || c.Letters == 0 || exactlyOnce && c.Duplicates > 0 {
		b.Errorf("%+v", c)
	}
	out, err := Join(b.h.Read(b.T, s.out))
	if err != nil {
		b.Fatal(err)
	}
	in := map[stream.Position][]byte{}
	for _, m := range b.h.Read(b.T, b.topic) {
		in[at(m)] = m.Value
	}
	split := 0
	for _, parts := range out.Whole {
		p, version, _ := stream.Origin(&parts[0])
		if len(parts) > 1 {
			split++
		}
		var got []byte
		for _, m := range parts {
			got = append(append(got, m.Value...), ' ')
		}
		tag := fmt.Append(nil, "@", version, " ")
		if want := bytes.ReplaceAll(append(bytes.Clone(in[p]), ' '), []byte(" "), tag); !bytes.Equal(got, want) {
			b.Fatalf("the %d parts of input %v, offset %d hold %.100q, want %.100q", len(parts), p, p.Offset, got, want)
		}
	}
	elsewhere := 0
	for _, m := range b.h.Read(b.T, s.dlq) {
		if _, is := m.Header("unfold-elsewhere"); is {
			elsewhere++
		}
	}
	if split == 0 || elsewhere == 0 {
		b.Errorf("%d outputs came in parts, %d dead letters are elsewhere", split, elsewhere)
	}
}
