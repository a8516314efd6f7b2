package streamtest

import (
	"strconv"
	"strings"
	"testing"

	"unfold/stream"
)

// partsOf parses outputs from text: "a2/3" is part 2 of 3 of input a, "b" is the whole of b. All
// have the same key and come from one partition, b after a.
func partsOf(text string) (out []stream.Message) {
	for i, word := range strings.Fields(text) {
		name, part, cut := strings.Cut(word[1:], "/")
		at := stream.TopicPartition{Topic: "in"}
		m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "out"}, Offset: int64(i), Value: []byte(word)}
		add := func(key, value string) {
			m.Headers = append(m.Headers, stream.Header{Key: key, Value: []byte(value)})
		}
		add(stream.HeaderSourceTopic, at.Topic)
		add(stream.HeaderSourcePartition, "0")
		add(stream.HeaderSourceOffset, strconv.Itoa(int(word[0]-'a')))
		add(stream.HeaderModelVersion, "1")
		if cut {
			n, _ := strconv.Atoi(name)
			add(stream.HeaderPart, name)
			add(stream.HeaderParts, part)
			add(stream.HeaderPartRow, strconv.Itoa(10*(n-1)))
		}
		out = append(out, m)
	}
	return out
}

func TestJoin(t *testing.T) {
	for name, c := range map[string]struct {
		out, whole  string
		torn, again int
		err         string
	}{
		"in order":                           {"a b1/2 b2/2 c", "a b c", 0, 0, ""},
		"again from the first":               {"a1/3 a2/3 a1/3 a2/3 a3/3", "a", 1, 0, ""},
		"again from the middle":              {"a1/3 a2/3 a2/3 a3/3", "a", 0, 1, ""},
		"the end again behind later outputs": {"a1/3 a2/3 a3/3 b a2/3 a3/3 b", "a b b", 0, 2, ""},
		"in other parts":                     {"a1/2 a1/3 a2/3 a3/3", "a", 1, 0, ""},
		"never whole":                        {"a1/2 b", "b", 1, 0, ""},
		"the end only":                       {"a2/2 b", "", 0, 0, "not those before it"},
		"another output between":             {"a1/3 a2/3 b1/2 b2/2 a3/3", "", 0, 0, "not those before it"},
		"one left out":                       {"a1/3 a3/3", "", 0, 0, "not those before it"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Join(partsOf(c.out))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			var whole []string
			for _, parts := range o.Whole {
				whole = append(whole, string(parts[0].Value[:1]))
			}
			if got := strings.Join(whole, " "); err != nil || got != c.whole || o.Torn != c.torn || o.Again != c.again {
				t.Errorf("whole %q, %d torn, %d again, %v; want %q, %d, %d", got, o.Torn, o.Again, err, c.whole, c.torn, c.again)
			}
		})
	}
}
