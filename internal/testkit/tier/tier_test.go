package tier

import (
	"strings"
	"testing"
)

// recorder is a test that records how it ends.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()           {}
func (r *recorder) Skip(args ...any)  { r.skipped = args[0].(string); panic(r) }
func (r *recorder) Fatal(args ...any) { r.failed = args[0].(string); panic(r) }

func end(f func(t testing.TB)) (r *recorder) {
	r = new(recorder)
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
	}()
	f(r)
	return r
}

func TestTiers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short is a tier of its own")
	}
	full := func(t testing.TB) { Full(t, "it sleeps") }
	missing := func(t testing.TB) { Missing(t, "no java") }
	for _, c := range []struct {
		tier            string
		full            bool
		skipped, failed string
	}{
		{"", false, Unavailable + "no java", ""},
		{"quick", false, Unavailable + "no java", ""},
		{"all", true, Unavailable + "no java", ""},
		{"required", true, "", "required: no java"},
	} {
		t.Setenv(Variable, c.tier)
		if r := end(full); (r.skipped == "") != c.full || !c.full && !strings.HasPrefix(r.skipped, LeftOut) || r.failed != "" {
			t.Errorf("%q: a test of make test-all ends with %q, %q", c.tier, r.skipped, r.failed)
		}
		if r := end(missing); r.skipped != c.skipped || r.failed != c.failed {
			t.Errorf("%q: a test without its program ends with %q, %q", c.tier, r.skipped, r.failed)
		}
	}
}
