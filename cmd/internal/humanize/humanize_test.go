package humanize

import (
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(1234567), "1,234,567"}, {Count(-1234), "-1,234"}, {Count(-123), "-123"},
		{Span(350 * time.Millisecond), "0.35s"}, {Span(4210 * time.Millisecond), "4.2s"}, {Span(28400 * time.Millisecond), "28s"}, {Span(125 * time.Second), "2m5s"},
		{Rate(25, 3*time.Second), "8.3"}, {Rate(28000, 2*time.Second), "14,000"},
		{Bytes(312), "312 B"}, {Bytes(1536), "1.5 KiB"}, {Bytes(3 << 30), "3.0 GiB"},
		{Plural(1, "row"), "1 row"}, {Plural(0, "row"), "0 rows"}, {Plural(int64(2000), "row"), "2,000 rows"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}
