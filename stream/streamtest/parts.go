package streamtest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"

	"unfold/stream"
)

// Outputs are output messages with the parts of each output together.
type Outputs struct {
	// Whole are the outputs of which all parts are there, in the order of their last.
	Whole [][]stream.Message
	// Torn counts outputs whose parts broke off, Again parts that came twice.
	Torn, Again int
}

// Join puts parts together. out lists each partition in order. It is an error if a part
// comes without those before it: among messages of one source partition and key the parts
// of an output follow each other, but for what was written twice: once all are there, any
// of them may come again, behind later outputs too, if its acknowledgement was lost.
func Join(out []stream.Message) (o Outputs, err error) {
	type lane struct {
		at, from stream.TopicPartition
		key      string
		null     bool
	}
	type set struct {
		p       stream.Position
		mapID   string
		version uint64
		of      int
	}
	type begun struct {
		set
		have []stream.Message
	}
	type finished struct {
		lane
		set
	}
	open, complete := map[lane]*begun{}, map[finished]bool{}
	for _, m := range out {
		p, version, ok := stream.Origin(&m)
		part, sound := stream.PartOf(&m)
		if !ok || !sound {
			o.Whole = append(o.Whole, []stream.Message{m}) // for the caller to complain about
			continue
		}
		id, _ := m.Header(stream.HeaderMapID)
		k, s := lane{m.TopicPartition, p.TopicPartition, string(m.Key), m.Key == nil}, set{p, string(id), version, part.Of}
		b := open[k]
		if (b == nil || b.set != s) && part.Number > 1 && complete[finished{k, s}] {
			o.Again++
			continue
		}
		if b == nil || b.set != s || part.Number == 1 {
			if b != nil && len(b.have) < b.of {
				o.Torn++
			}
			b = &begun{set: s}
			open[k] = b
		}
		switch n := len(b.have); {
		case part.Number <= n:
			o.Again++
			continue
		case part.Number > n+1:
			return o, fmt.Errorf("output %s: part %d of %d of input %v, and not those before it", m.Where(), part.Number, part.Of, p)
		case n == 0 && part.Row != 0, n > 0 && part.Row <= row(&b.have[n-1]):
			return o, fmt.Errorf("output %s: part %d of %d of input %v begins at row %d", m.Where(), part.Number, part.Of, p, part.Row)
		}
		if b.have = append(b.have, m); len(b.have) == part.Of {
			o.Whole = append(o.Whole, b.have)
			complete[finished{k, s}] = part.Of > 1
		}
	}
	for _, b := range open {
		if len(b.have) < b.of {
			o.Torn++
		}
	}
	return o, nil
}

func row(m *stream.Message) int {
	p, _ := stream.PartOf(m)
	return p.Row
}

// Bytes are the values of an output's parts, with their lengths between.
func Bytes(parts []stream.Message) (all []byte) {
	for _, m := range parts {
		all = append(fmt.Append(all, len(m.Value), ":"), m.Value...)
	}
	return all
}

// Kept returns an error if a dead letter does not keep the message: whole, or by saying
// what is elsewhere.
func Kept(in, letter *stream.Message) error {
	what, elsewhere := letter.Header("unfold-elsewhere")
	all := string(what) == "key,headers,value"
	switch {
	case elsewhere && !all && string(what) != "value":
		return fmt.Errorf("%q is elsewhere", what)
	case !letter.Time.Equal(in.Time):
		return fmt.Errorf("its time is %v, not %v", letter.Time, in.Time)
	case !all && !same(in.Key, letter.Key):
		return fmt.Errorf("its key is %q, not %q", letter.Key, in.Key)
	case !elsewhere && !same(in.Value, letter.Value):
		return fmt.Errorf("its value has %d bytes and is not that of %d", len(letter.Value), len(in.Value))
	case !elsewhere:
		return nil
	case len(letter.Value) > 0:
		return fmt.Errorf("its value is elsewhere and has %d bytes", len(letter.Value))
	}
	length, _ := letter.Header("unfold-value-length")
	sum, _ := letter.Header("unfold-value-sha256")
	begin, _ := letter.Header("unfold-value-begin")
	if string(length) != strconv.Itoa(len(in.Value)) || string(sum) != fmt.Sprintf("%x", sha256.Sum256(in.Value)) {
		return fmt.Errorf("it says that the value has %s bytes and checksum %s", length, sum)
	}
	if !all && len(begin) == 0 && len(in.Value) > 0 || !bytes.HasPrefix(in.Value, begin) {
		return fmt.Errorf("it says that the value begins with %q", begin)
	}
	return nil
}
