package stream

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// Dead letters of one message share no memory with each other or with the message.
func TestDeadLettersShareNothing(t *testing.T) {
	room := make([]Header, 1, 30)
	room[0] = Header{Key: "own"}
	m := Message{TopicPartition: TopicPartition{Topic: "in"}, Offset: 5, Headers: room}
	d := &DeadLetter{}
	first := d.Message(m, StageDecode, errors.New("one"))
	d.Message(m, StagePlace, errors.New("two"))
	_, why, ok := ReadDeadLetter(first)
	if !ok || why.Message != "one" || why.Stage != StageDecode || why.Connector != "unfold" {
		t.Errorf("the first reads %+v, %v", why, ok)
	}
	if next := room[:2][1]; next.Key != "" {
		t.Errorf("the message's memory holds the header %s", next.Key)
	}
}

// The text of an error is truncated to valid UTF-8 of the maximum length.
func TestLongReasons(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("x", textLength):             strings.Repeat("x", textLength),
		strings.Repeat("x", textLength+1):           strings.Repeat("x", textLength),
		strings.Repeat("x", textLength-1) + "é":     strings.Repeat("x", textLength-1),
		"not \xff valid":                            "not  valid",
		strings.Repeat("x", textLength-2) + "é\xff": strings.Repeat("x", textLength-2) + "é",
	} {
		_, why, _ := ReadDeadLetter((&DeadLetter{}).Message(Message{TopicPartition: TopicPartition{Topic: "in"}}, StageDecode, errors.New(text)))
		if why.Message != want {
			t.Errorf("%d bytes of text become %d", len(text), len(why.Message))
		}
	}
}

// The kind of an error is the first type in its chain that does not only add text.
func TestKindOfReason(t *testing.T) {
	kind := errors.New("x")
	for want, err := range map[string]error{
		"*errors.errorString":      fmt.Errorf("a: %w", &MessageError{Stage: StageRead, Err: fmt.Errorf("b: %w", kind)}),
		"*stream.UnavailableError": fmt.Errorf("a: %w", &UnavailableError{Err: kind}),
		"*fs.PathError":            &MessageError{Err: &os.PathError{Err: kind}},
		"*stream.MessageError":     &MessageError{},
		"*stream.MisnamedError":    &MisnamedError{},
		"*fmt.wrapErrors":          fmt.Errorf("%w, %w", kind, kind),
		"a name that it has kept":  fmt.Errorf("a: %w", classed{}),
	} {
		if got := typeOf(err); got != want {
			t.Errorf("%T: %s, want %s", err, got, want)
		}
	}
}

type classed struct{ error }

func (classed) Class() string { return "a name that it has kept" }

// A dead letter is read at any position, also one of another program with fewer headers.
func TestReadForeignDeadLetters(t *testing.T) {
	in := Message{TopicPartition: TopicPartition{Topic: "in", Partition: 3}, Offset: 14, Value: []byte("v")}
	letter := (&DeadLetter{}).Message(in, StageDecode, errors.New("bad"))
	letter.Topic, letter.Partition, letter.Offset = "dlq", 0, 99
	if original, _, ok := ReadDeadLetter(letter); !ok || original.Position() != in.Position() || len(original.Headers) != 0 {
		t.Errorf("the message was at %v with %d headers, %v", original.Position(), len(original.Headers), ok)
	}
	few := []Header{{headerErrorTopic, []byte("in")}, {headerErrorPartition, []byte("3")}, {headerErrorOffset, []byte("14")}}
	original, why, ok := ReadDeadLetter(Message{Value: []byte("v"), Headers: few})
	if !ok || why.Position != in.Position() || !reflect.DeepEqual(original.Headers, few) {
		t.Errorf("%+v of %+v, %v", original, why, ok)
	}
	// The omitted parts are described by the last headers, if there are enough of them.
	for n := range headersElsewhere + 1 {
		all := []Header{{headerElsewhere, []byte("value")}, {headerLength, []byte("1")}, {headerSHA256, []byte("x")}, {headerBegin, []byte("v")}}
		m := &Message{Headers: all[headersElsewhere-n:]}
		if is := elsewhere(m) != nil; is != (n == headersElsewhere) {
			t.Errorf("the last %d headers say that the value is elsewhere: %v", n, is)
		}
	}
}

// A dead letter that is written is not written again when another one has to be shortened.
func TestBuriedOnce(t *testing.T) {
	w, _ := settler(t)
	sink := &script{answers: []error{&WriteError{Remaining: []int{1, 2}, Err: &RefusedError{Messages: []Refused{{Index: 1, Size: 9, Limit: 8}}}}}}
	w.p.DeadLetter = &DeadLetter{Sink: sink}
	var batch []*entry
	for offset := range int64(3) {
		e := &entry{message: Message{Offset: offset}}
		e.spoil(StageDecode, errors.New("bad"))
		batch = append(batch, e)
	}
	if err := w.bury(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if want := [][]int{{0, 1, 2}, {1, 2}}; !reflect.DeepEqual(sink.got, want) || batch[1].spared != sparesValue || batch[2].spared != sparesNothing {
		t.Errorf("written are %v, want %v", sink.got, want)
	}
}
