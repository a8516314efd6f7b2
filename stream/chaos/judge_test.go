package chaos

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream"
)

// trial returns evidence without errors: inputs of two partitions, placed in order.
func trial(t *testing.T) Evidence {
	t.Helper()
	l := &Load{Rows: 2}
	rng := rand.New(rand.NewPCG(1, 1))
	e := Evidence{ID: Column, ExactlyOnce: true}
	for p := range 2 {
		for n := range 20 {
			m, err := l.message(rng, n)
			if err != nil {
				t.Fatal(err)
			}
			m.TopicPartition, m.Offset = stream.TopicPartition{Topic: "events", Partition: p}, int64(n)
			e.In = append(e.In, m)
			if n%17 == 16 {
				e.Letters = append(e.Letters, letter(m))
				continue
			}
			out := m
			out.TopicPartition, out.Offset = stream.TopicPartition{Topic: "places", Partition: p}, int64(len(e.Out))
			out.Value = place(t, &m)
			out.Headers = []stream.Header{{Key: stream.HeaderSourceTopic, Value: []byte("events")}, {Key: stream.HeaderSourcePartition, Value: fmt.Append(nil, p)},
				{Key: stream.HeaderSourceOffset, Value: fmt.Append(nil, n)}, {Key: stream.HeaderModelVersion, Value: []byte("3")}}
			e.Out = append(e.Out, out)
		}
	}
	return e
}

// place returns the output of a message, with the columns that the judge checks.
func place(t *testing.T, m *stream.Message) []byte {
	t.Helper()
	names, err := (&Evidence{}).ids(m, Column)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := table.NewTable(table.Origin{}, table.StringColumn("id", names))
	if err != nil {
		t.Fatal(err)
	}
	value, err := emit.EncodeTable(rows)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func letter(m stream.Message) stream.Message {
	out := (&stream.DeadLetter{}).Message(m, stream.StageDecode, errors.New("it cannot be read"))
	out.TopicPartition = stream.TopicPartition{Topic: "dead"}
	return out
}

// TestJudge gives the judge evidence with one error each. The judge finds that error and no other.
func TestJudge(t *testing.T) {
	again := func(e *Evidence, i int) *stream.Message {
		m := e.Out[i]
		e.Out = append(e.Out, m)
		return &e.Out[len(e.Out)-1]
	}
	for name, c := range map[string]struct {
		spoil func(e *Evidence)
		want  string
	}{
		"nothing":                 {func(*Evidence) {}, ""},
		"a lost output":           {func(e *Evidence) { e.Out = slices.Delete(e.Out, 7, 8) }, "is lost"},
		"a lost letter":           {func(e *Evidence) { e.Letters = e.Letters[1:] }, "is lost"},
		"a duplicate":             {func(e *Evidence) { again(e, 3) }, "came out 2 times"},
		"a duplicate, allowed":    {func(e *Evidence) { e.ExactlyOnce = false; again(e, 3) }, ""},
		"a duplicate letter":      {func(e *Evidence) { e.Letters = append(e.Letters, e.Letters[0]) }, "2 times as a dead letter"},
		"a place and a letter":    {func(e *Evidence) { e.Letters = append(e.Letters, letter(e.In[2])) }, "1 times as a dead letter"},
		"other bytes":             {func(e *Evidence) { e.ExactlyOnce = false; again(e, 3).Value = e.Out[4].Value }, "in two ways"},
		"out of order":            {func(e *Evidence) { e.Out[1], e.Out[6] = e.Out[6], e.Out[1] }, "came as number"},
		"another partition":       {func(e *Evidence) { e.Out[9].Partition = 2 }, "another partition"},
		"rows of another message": {func(e *Evidence) { e.Out[2].Value = e.Out[3].Value }, "the rows are"},
		"another key":             {func(e *Evidence) { e.Out[2].Key = []byte("mine") }, "key"},
		"in parts":                {func(e *Evidence) { split(t, e, 4) }, ""},
		"a part is lost":          {func(e *Evidence) { e.ExactlyOnce = false; i := split(t, e, 4); e.Out = slices.Delete(e.Out, i+1, i+2) }, "is lost"},
		"the first part is lost":  {func(e *Evidence) { i := split(t, e, 4); e.Out = slices.Delete(e.Out, i, i+1) }, "not those before it"},
		"a part twice":            {func(e *Evidence) { i := split(t, e, 4); e.Out = slices.Insert(e.Out, i, e.Out[i]) }, "broke off"},
		"a part twice, allowed": {func(e *Evidence) {
			e.ExactlyOnce = false
			i := split(t, e, 4)
			e.Out = slices.Insert(e.Out, i, e.Out[i])
		}, ""},
		"parts of other rows":               {func(e *Evidence) { i := split(t, e, 4); e.Out[i].Value = e.Out[i+1].Value }, "the rows are"},
		"a part between parts":              {func(e *Evidence) { i := split(t, e, 4); e.Out[i+1], e.Out[i+6] = e.Out[i+6], e.Out[i+1] }, "not those before it"},
		"a letter elsewhere":                {func(e *Evidence) { e.Letters[0] = elsewhere(e.Letters[0], e.Letters[0].Value) }, ""},
		"a letter elsewhere of other bytes": {func(e *Evidence) { e.Letters[0] = elsewhere(e.Letters[0], []byte("other")) }, "dead letter"},
		"an output of nothing":              {func(e *Evidence) { e.In = e.In[1:] }, "of no input"},
		"a letter with other bytes":         {func(e *Evidence) { e.Letters[0].Value = []byte("short") }, "dead letter"},
	} {
		e := trial(t)
		c.spoil(&e)
		v := Judge(e)
		if err := v.Err(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// split splits an output into two parts and returns their position.
func split(t *testing.T, e *Evidence, i int) int {
	t.Helper()
	all, err := arrowfmt.DecodeMessage(e.Out[i].Value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	names, _ := all.Column("id")
	var parts []stream.Message
	for n := range 2 {
		half, err := table.NewTable(table.Origin{}, table.StringColumn("id", names.Strings()[n:n+1]))
		if err != nil {
			t.Fatal(err)
		}
		m := e.Out[i]
		if m.Value, err = emit.EncodeTable(half); err != nil {
			t.Fatal(err)
		}
		m.Headers = append(slices.Clone(m.Headers), stream.Header{Key: stream.HeaderPart, Value: fmt.Append(nil, n+1)},
			stream.Header{Key: stream.HeaderParts, Value: []byte("2")}, stream.Header{Key: stream.HeaderPartRow, Value: fmt.Append(nil, n)})
		parts = append(parts, m)
	}
	e.Out = slices.Replace(e.Out, i, i+1, parts...)
	return i
}

// elsewhere removes the value of a dead letter and adds the headers that describe it.
func elsewhere(m stream.Message, value []byte) stream.Message {
	m.Headers = append(slices.Clone(m.Headers), stream.Header{Key: "unfold-elsewhere", Value: []byte("value")},
		stream.Header{Key: "unfold-value-length", Value: fmt.Append(nil, len(value))},
		stream.Header{Key: "unfold-value-sha256", Value: fmt.Appendf(nil, "%x", sha256.Sum256(value))}, stream.Header{Key: "unfold-value-begin", Value: value})
	m.Value = []byte{}
	return m
}
