package main

import (
	"strings"
	"testing"
)

const answer = `{"config": {"protocol_version": "v1.0.0"}}
{"osv": {"id": "GO-1", "summary": "called, of a module"}}
{"osv": {"id": "GO-2", "summary": "of the standard library"}}
{"osv": {"id": "GO-3", "summary": "required, not called"}}
{"finding": {"osv": "GO-3", "fixed_version": "v2.0.0", "trace": [{"module": "example.org/c", "version": "v1.0.0"}]}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.2.7", "trace": [{"module": "example.org/a", "version": "v1.2.3"}]}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.2.7", "trace": [{"module": "example.org/a", "version": "v1.2.3", "function": "Read"}]}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.2.7", "trace": [{"module": "example.org/a", "version": "v1.2.3", "function": "Close"}]}}
{"finding": {"osv": "GO-2", "fixed_version": "v1.26.9", "trace": [{"module": "stdlib", "version": "v1.26.8", "function": "Serve"}]}}
`

func TestCalledFunctionsOfModulesFail(t *testing.T) {
	f, err := read(strings.NewReader(answer))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = f.report(&out)
	const want = "build with Go 1.26.9 or later: GO-2, of the standard library\n" +
		"example.org/a v1.2.3, mended in v1.2.7: GO-1, called, of a module\n"
	if err == nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestTheStandardLibraryDoesNotFail(t *testing.T) {
	f := findings{library: []finding{{ID: "GO-2", Fixed: "v1.26.9"}}}
	if err := f.report(new(strings.Builder)); err != nil {
		t.Error(err)
	}
}

func TestDamagedAnswers(t *testing.T) {
	if _, err := read(strings.NewReader(answer[:len(answer)-20])); err == nil {
		t.Error("an answer that ends early is no error")
	}
}
