package serial

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	var w bytes.Buffer
	fmt.Fprint(&w, "[    0.1] booting\r\n")
	Flags(&w, "fpu avx512f")
	Begin(&w, "a/b")
	fmt.Fprint(&w, "--- FAIL: TestX\r\nFAIL without an end of line")
	Covered(&w, "m/a/b/c.go:1.2,3.4 1 1")
	End(&w, "a/b", 1)
	Begin(&w, "c")
	End(&w, "c", 0)
	Done(&w)
	fmt.Fprint(&w, "[    9.9] power down")

	var ended []string
	got, err := Read(&w, func(r Result) { ended = append(ended, r.Package) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Results {
		got.Results[i].Time = 0
	}
	got.Boot = 0
	want := Report{
		Flags: []string{"fpu", "avx512f"},
		Results: []Result{
			{Package: "a/b", Code: 1, Output: "--- FAIL: TestX\nFAIL without an end of line\n\n", Covered: []string{"m/a/b/c.go:1.2,3.4 1 1"}},
			{Package: "c", Output: "\n"},
		},
		Done: true,
		Rest: "[    0.1] booting\n[    9.9] power down\n",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !reflect.DeepEqual(ended, []string{"a/b", "c"}) {
		t.Errorf("ended %v", ended)
	}
}

// If a machine stops in the middle of a test, the report is incomplete, and its last output is
// kept.
func TestReadOfStopped(t *testing.T) {
	var w bytes.Buffer
	Flags(&w, "fpu")
	Begin(&w, "a/b")
	fmt.Fprint(&w, "panic: something\n")
	got, err := Read(&w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Done || got.Open != "a/b" || len(got.Results) > 0 || !strings.Contains(got.Rest, "panic: something") {
		t.Errorf("got %+v", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{prefix + "end a/b 0\n", prefix + "begin a\n" + prefix + "end a x\n", prefix + "begin a\n" + prefix + "end b 0\n", prefix + "other\n"} {
		if _, err := Read(strings.NewReader(text), nil); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
