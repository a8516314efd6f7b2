package fleet_test

import (
	"testing"

	"unfold/stream"
	"unfold/stream/fleet"
)

// FuzzAnnouncement parses arbitrary messages. Each one gives an error, or an announcement that is
// equal after it is encoded and parsed again.
func FuzzAnnouncement(f *testing.F) {
	f.Add([]byte("m"), []byte(`{"format":1,"name":"m","generation":1,"learner":"l"}`))
	f.Add([]byte("m"), []byte(`{"format":1,"name":"m","generation":1,"version":18446744073709551615,"bytes":-1,"points":1e308}`))
	f.Add([]byte{}, []byte("null"))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		a, err := fleet.Parse(stream.Message{Key: key, Value: value})
		if err != nil {
			return
		}
		if a.Map() && (a.Bytes < 1 || a.Dim < 1 || a.Dims < 1 || a.Points < 1) {
			t.Errorf("%+v describes no map", a)
		}
		m, err := a.Message()
		if err != nil {
			return // a time that JSON does not know
		}
		if b, err := fleet.Parse(m); err != nil || b.String() != a.String() {
			t.Errorf("%v is read again as %v (%v)", a, b, err)
		}
	})
}
