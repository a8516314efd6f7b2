package recent

import (
	"sync"
	"testing"
)

// The list has the latest values, drops the others, and has no duplicates.
func TestList(t *testing.T) {
	var l List[int]
	is := func(want int) func(*int) bool { return func(v *int) bool { return *v == want } }
	if l.Find(is(1)) != nil {
		t.Error("an empty list has a value")
	}
	for v := range 10 {
		if got := l.Add(&v, 3, is(v)); got != &v {
			t.Errorf("%d is not the value that was added", v)
		}
	}
	for v := range 10 {
		if got := l.Find(is(v)); (got != nil) != (v >= 7) {
			t.Errorf("%d: found %v", v, got != nil)
		}
	}
	nine := l.Find(is(9))
	again := 9
	if got := l.Add(&again, 3, is(9)); got != nine || l.Find(is(7)) == nil {
		t.Error("a value that is there was added again")
	}
}

// Goroutines that add the same value at the same time all get the same pointer.
func TestTogether(t *testing.T) {
	for range 100 {
		var l List[int]
		got := make([]*int, 4)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				v := 5
				is := func(v *int) bool { return *v == 5 }
				if got[i] = l.Find(is); got[i] == nil {
					got[i] = l.Add(&v, 2, is)
				}
			})
		}
		all.Wait()
		for _, v := range got {
			if v != got[0] {
				t.Fatal("there are two")
			}
		}
	}
}
