package stream_test

import (
	"errors"
	"strings"
	"testing"

	"unfold/stream"
)

// The stage ends if the first hundred events all lack a named column. Events that are bad for other
// reasons, and messages without events, do not count.
func TestNames(t *testing.T) {
	lacking := &stream.MessageError{Stage: stream.StagePlace, Err: errors.New(`column "eventid": there is no such column`), Misnamed: true}
	bad := &stream.MessageError{Stage: stream.StagePlace, Err: errors.New("a value is missing")}
	var names stream.Names
	for _, c := range []struct {
		n   int
		err error
	}{{60, lacking}, {500, bad}, {0, nil}, {39, lacking}} {
		if err := names.Judge(c.n, c.err); err != nil {
			t.Fatalf("too early: %v", err)
		}
	}
	var wrong *stream.MisnamedError
	err := names.Judge(1, lacking)
	if !errors.As(err, &wrong) || wrong.Events != 100 || !strings.Contains(err.Error(), `none of the first 100 events has a column that the configuration names: column "eventid"`) {
		t.Errorf("of 100 events: %v", err)
	}
	names = stream.Names{}
	other := &stream.MessageError{Stage: stream.StagePlace, Err: errors.New("another column"), Misnamed: true}
	if err := names.Judge(60, lacking); err != nil {
		t.Fatal(err)
	}
	if err := names.Judge(60, other); err == nil || !strings.Contains(err.Error(), "eventid") {
		t.Errorf("the first reason is lost: %v", err)
	}
	names = stream.Names{}
	if err := errors.Join(names.Judge(99, lacking), names.Judge(1, nil), names.Judge(1000, lacking)); err != nil {
		t.Errorf("after an event with the column: %v", err)
	}
}
