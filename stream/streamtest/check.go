package streamtest

import (
	"bytes"
	"fmt"
	"strconv"

	"unfold/stream"
)

// Log is the contents of the topics after a run.
type Log struct {
	In, Out, Letters []stream.Message
}

// Count is the number of messages in the output topics.
type Count struct {
	Placed, Letters, Duplicates int
}

// Check compares inputs with outputs and returns the first violation of the delivery contract:
//
//   - every input message has an output or a dead letter;
//   - outputs name an existing input and have its key;
//   - for each source partition, an output comes only after those of all earlier
//     good messages (a duplicate may come at any time);
//   - two outputs for one position and one version have the same bytes, if they have as
//     many parts;
//   - parts of an output follow each other;
//   - dead letters are the original messages, or describe the omitted parts.
//
// Out must list each partition in order.
func (l Log) Check() (Count, error) {
	var c Count
	in := map[stream.Position]stream.Message{}
	for _, m := range l.In {
		in[at(m)] = m
	}
	letters, err := l.letters(in)
	if err != nil {
		return c, err
	}
	type key struct {
		p     stream.Position
		v     uint64
		parts int
	}
	joined, err := Join(l.Out)
	if err != nil {
		return c, err
	}
	c.Duplicates = joined.Torn + joined.Again
	placed, values := map[stream.Position]bool{}, map[key][]byte{}
	for _, parts := range joined.Whole {
		m := parts[0]
		p, v, ok := stream.Origin(&m)
		if !ok {
			return c, fmt.Errorf("output %s: the headers do not say where it comes from", m.Where())
		}
		orig, ok := in[p]
		if !ok {
			return c, fmt.Errorf("output %s: there is no input %v", m.Where(), p)
		}
		if !same(orig.Key, m.Key) || !orig.Time.Equal(m.Time) {
			return c, fmt.Errorf("output %s: key %q and time %v, the input has %q and %v", m.Where(), m.Key, m.Time, orig.Key, orig.Time)
		}
		k, value := key{p, v, len(parts)}, Bytes(parts)
		if before, ok := values[k]; ok && !bytes.Equal(before, value) {
			return c, fmt.Errorf("input %v was placed by version %d as %q and as %q", p, v, before, value)
		}
		if placed[p] {
			c.Duplicates++
		}
		placed[p], values[k] = true, value
	}
	if err := l.order(placed); err != nil {
		return c, err
	}
	for p := range in {
		if !placed[p] && !letters[p] {
			return c, fmt.Errorf("input %v is lost: neither in the output nor a dead letter", p)
		}
	}
	c.Placed, c.Letters = len(placed), len(letters)
	return c, nil
}

// order checks that outputs of one source partition with the same key, or without one, are in order
// at their first occurrence.
func (l Log) order(placed map[stream.Position]bool) error {
	type lane struct {
		tp  stream.TopicPartition
		key string
	}
	// The good inputs of each lane in order, and the number of their outputs so far.
	want, out := map[lane][]stream.Position{}, map[lane]int{}
	rank := map[stream.Position]int{}
	for _, m := range l.In {
		if p := at(m); placed[p] {
			k := lane{m.TopicPartition, string(m.Key)}
			rank[p] = len(want[k])
			want[k] = append(want[k], p)
		}
	}
	for _, m := range l.Out {
		p, _, _ := stream.Origin(&m)
		k := lane{p.TopicPartition, string(m.Key)}
		if rank[p] > out[k] {
			return fmt.Errorf("output %s: input %v came before %v", m.Where(), p, want[k][out[k]])
		}
		out[k] = max(out[k], rank[p]+1)
	}
	return nil
}

// letters checks the dead letters and returns the positions of their inputs.
func (l Log) letters(in map[stream.Position]stream.Message) (map[stream.Position]bool, error) {
	out := map[stream.Position]bool{}
	for _, m := range l.Letters {
		topic, _ := m.Header("__connect.errors.topic")
		partition, _ := m.Header("__connect.errors.partition")
		offset, _ := m.Header("__connect.errors.offset")
		pn, err1 := strconv.Atoi(string(partition))
		on, err2 := strconv.ParseInt(string(offset), 10, 64)
		p := stream.Position{TopicPartition: stream.TopicPartition{Topic: string(topic), Partition: pn}, Offset: on}
		orig, ok := in[p]
		if err1 != nil || err2 != nil || !ok {
			return nil, fmt.Errorf("dead letter %s: there is no input %v", m.Where(), p)
		}
		if err := Kept(&orig, &m); err != nil {
			return nil, fmt.Errorf("dead letter %s differs from the input %v: %w", m.Where(), p, err)
		}
		for _, h := range []string{"stage", "exception.class.name", "exception.message"} {
			if v, ok := m.Header("__connect.errors." + h); !ok || len(v) == 0 {
				return nil, fmt.Errorf("dead letter %s has no header __connect.errors.%s", m.Where(), h)
			}
		}
		out[p] = true
	}
	return out, nil
}

// same compares bytes; null and empty differ.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func at(m stream.Message) stream.Position {
	return stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}
}
