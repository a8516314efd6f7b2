package names_test

import (
	"net"
	"slices"
	"testing"

	"unfold/internal/testkit/names"
)

func TestSet(t *testing.T) {
	names.Set(t, map[string]string{"two.example": "127.0.0.1 ::1", "turns.example": "127.0.0.1|127.0.0.2"})
	for _, c := range []struct {
		name string
		want []string
	}{{"two.example", []string{"127.0.0.1", "::1"}}, {"turns.example", []string{"127.0.0.1"}}, {"turns.example", []string{"127.0.0.2"}}, {"none.example", nil}} {
		got, err := net.DefaultResolver.LookupHost(t.Context(), c.name)
		slices.Sort(got)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}
