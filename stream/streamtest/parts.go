package streamtest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"

	"unfold/stream"
)

// Outputs are output messages, with the parts of each output joined.
type Outputs struct {
	// Whole are the complete outputs, in the order of their last part.
	Whole [][]stream.Message
	// Torn is the number of incomplete outputs, and Again the number of duplicate parts.
	Torn, Again int
}

// Join joins the parts of outputs. out contains each partition in order. Parts of an output must
// follow each other among the messages of one source partition and key; a part without those before
// it is an error. After an output is complete, any of its parts may come again, even behind later
// outputs, if an acknowledgement was lost.
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
			o.Whole = append(o.Whole, []stream.Message{m}) // the caller reports it
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

// Bytes returns the values of an output's parts, each prefixed by its length.
func Bytes(parts []stream.Message) (all []byte) {
	for _, m := range parts {
		all = append(fmt.Append(all, len(m.Value), ":"), m.Value...)
	}
	return all
}

// Kept returns an error unless a dead letter contains the complete message or describes the omitted
// parts.
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
