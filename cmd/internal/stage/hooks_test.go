package stage

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"unfold/stream"
	"unfold/stream/fleet"
)

// noting returns hooks that record their names and arguments: all fields, or only one.
func noting[H any](who string, only int, calls *[]string) (h H) {
	v := reflect.ValueOf(&h).Elem()
	for i := range v.NumField() {
		if only >= 0 && i != only {
			continue
		}
		name := v.Type().Field(i).Name
		v.Field(i).Set(reflect.MakeFunc(v.Field(i).Type(), func(args []reflect.Value) []reflect.Value {
			text := who + " " + name
			for _, a := range args {
				text += fmt.Sprintf(" %v", a.Interface())
			}
			*calls = append(*calls, text)
			return nil
		}))
	}
	return h
}

// call calls a hook with arguments of its types: one for numbers, otherwise zero values.
func call(f reflect.Value) (want string) {
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		a := reflect.New(f.Type().In(i)).Elem()
		if a.CanInt() {
			a.SetInt(int64(i + 1))
		}
		args = append(args, a)
		want += fmt.Sprintf(" %v", a.Interface())
	}
	f.Call(args)
	return want
}

func testJoin[H any](t *testing.T, join func(a, b H) H) {
	t.Helper()
	var calls []string
	both := reflect.ValueOf(join(noting[H]("a", -1, &calls), noting[H]("b", -1, &calls)))
	var none H
	for i := range both.NumField() {
		name := both.Type().Field(i).Name
		calls = nil
		args := call(both.Field(i))
		if want := []string{"a " + name + args, "b " + name + args}; !slices.Equal(calls, want) {
			t.Errorf("%s: calls %q, want %q", name, calls, want)
		}
		for who, h := range map[string]H{"a": join(noting[H]("a", i, &calls), none), "b": join(none, noting[H]("b", i, &calls))} {
			calls = nil
			one := reflect.ValueOf(h)
			args := call(one.Field(i))
			if want := []string{who + " " + name + args}; !slices.Equal(calls, want) {
				t.Errorf("%s of one: calls %q, want %q", name, calls, want)
			}
			for k := range one.NumField() {
				if k != i && !one.Field(k).IsNil() {
					t.Errorf("a hook that nobody wants is there: %s", one.Type().Field(k).Name)
				}
			}
		}
	}
	if h := reflect.ValueOf(join(none, none)); !h.IsZero() {
		t.Error("none and none are some")
	}
}

// Every hook of both is called, in order and with all arguments. New hooks need no code.
func TestEveryHookIsJoined(t *testing.T) {
	t.Run("stream", func(t *testing.T) { testJoin(t, join) })
	t.Run("fleet", func(t *testing.T) { testJoin[fleet.Hooks](t, joinFleet) })
	var calls []string
	h := join(noting[stream.Hooks]("a", -1, &calls), join(noting[stream.Hooks]("b", -1, &calls), noting[stream.Hooks]("c", -1, &calls)))
	h.Moved(3)
	if want := []string{"a Moved 3", "b Moved 3", "c Moved 3"}; !slices.Equal(calls, want) {
		t.Errorf("three: %q", calls)
	}
}

// BenchmarkJoin measures a hook that is called for each message, and one that is called rarely.
func BenchmarkJoin(b *testing.B) {
	var n int
	one := stream.Hooks{EventsIn: func(stream.TopicPartition, int) { n++ }, Moved: func(int) { n++ }}
	h := join(one, join(one, one))
	b.Run("message", func(b *testing.B) {
		for b.Loop() {
			h.EventsIn(stream.TopicPartition{}, 1)
		}
	})
	b.Run("other", func(b *testing.B) {
		for b.Loop() {
			h.Moved(1)
		}
	})
}
