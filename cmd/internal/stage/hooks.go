package stage

import (
	"reflect"

	"unfold/stream"
	"unfold/stream/fleet"
)

// join returns hooks that call those of a, then those of b.
func join(a, b stream.Hooks) stream.Hooks { return joined(a, b) }

// joinFleet is join for a fleet's hooks.
func joinFleet(a, b fleet.Hooks) fleet.Hooks { return joined(a, b) }

// joined joins two structs of functions without results, field by field, so that new fields need no
// code here. A function that only one of them has is used directly.
func joined[H any](a, b H) H {
	var out H
	first, second, to := reflect.ValueOf(a), reflect.ValueOf(b), reflect.ValueOf(&out).Elem()
	for i := range to.NumField() {
		f, g := first.Field(i), second.Field(i)
		switch both := often(f.Interface(), g.Interface()); {
		case f.IsNil():
			to.Field(i).Set(g)
		case g.IsNil():
			to.Field(i).Set(f)
		case both != nil:
			to.Field(i).Set(reflect.ValueOf(both))
		default:
			to.Field(i).Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
				f.Call(args)
				return g.Call(args)
			}))
		}
	}
	return out
}

// often joins two functions without reflect, for the types that are called for each message. A
// reflect call would take a microsecond. It returns nil for other types.
func often(f, g any) any {
	switch f := f.(type) {
	case func(stream.TopicPartition, int):
		g := g.(func(stream.TopicPartition, int))
		return func(tp stream.TopicPartition, n int) { f(tp, n); g(tp, n) }
	case func(stream.TopicPartition, string):
		g := g.(func(stream.TopicPartition, string))
		return func(tp stream.TopicPartition, s string) { f(tp, s); g(tp, s) }
	}
	return nil
}
