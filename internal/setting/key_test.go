package setting

import (
	"reflect"
	"slices"
	"testing"
)

type inner struct {
	Shared int `key:"shared" default:"4" min:"2"`
}

type first struct {
	A     string `key:"a" choices:"one,two" default:"one"`
	Inner inner  `key:""`
	B     Range  `key:"b" default:"auto"`
	None  int
}

type second struct {
	Inner inner    `key:""`
	Late  bool     `key:"late" after:"a"`
	Later []string `key:"later"`
}

type all struct {
	one first
	two second
}

func keysOfBoth() []Key {
	keys := Of(reflect.TypeFor[first](), "part", func(a any) any { return &a.(*all).one })
	return Add(keys, Of(reflect.TypeFor[second](), "part", func(a any) any { return &a.(*all).two }))
}

// The keys of several structs form one list: each follows the key it names, and a key of two
// structs sets both.
func TestAddedKeys(t *testing.T) {
	keys, names, by := keysOfBoth(), []string(nil), map[string]Key{}
	for _, k := range keys {
		names, by[k.Name()] = append(names, k.Path), k
	}
	if want := []string{"part.a", "part.late", "part.later", "part.shared", "part.b"}; !slices.Equal(names, want) {
		t.Errorf("keys %q, want %q", names, want)
	}
	var v all
	for name, text := range map[string]string{"a": "two", "shared": "7", "b": "3:5", "late": "true", "later": `x,y\,z`} {
		if err := by[name].Set(&v, text); err != nil || by[name].Text(&v) != text {
			t.Errorf("%s: %q is read as %q (%v)", name, text, by[name].Text(&v), err)
		}
	}
	if v.one.Inner.Shared != 7 || v.two.Inner.Shared != 7 || v.one.B != (Range{3, 5}) || len(v.two.Later) != 2 {
		t.Errorf("%+v", v)
	}
	for name, text := range map[string]string{"a": "tow", "shared": "1", "b": "5:3", "late": "perhaps"} {
		if err := by[name].Set(&v, text); err == nil {
			t.Errorf("%s: %q is taken", name, text)
		}
	}
	if k := by["shared"]; k.Flag() != "part-shared" || k.Env() != "UNFOLD_PART_SHARED" || k.Default != "4" {
		t.Errorf("%+v", k)
	}
}
