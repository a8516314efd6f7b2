package kafka

import (
	"strings"
	"testing"
	"time"
)

// A follower is read from for as long as nothing speaks against it; then the leader is
// asked again.
func TestNearest(t *testing.T) {
	var n nearest
	now := time.Now()
	at := func(what string, broker int32, named bool) {
		t.Helper()
		if b, got := n.replica(now); b != broker || got != named {
			t.Errorf("%s: broker %d, rack named: %v", what, b, got)
		}
	}
	at("at first", leader, true)
	n.prefer(-1, now)
	at("the leader knows no nearer one", leader, true)
	n.prefer(0, now)
	at("broker 0 is nearer", 0, true)
	n.prefer(-1, now)
	at("a follower names none", 0, true)
	now = now.Add(nearTime)
	at("after its time", leader, true)
	n.prefer(2, now)
	at("broker 2 is nearer", 2, true)
	n.avoid(now)
	at("it has failed", leader, false)
	now = now.Add(farTime)
	at("a while later", leader, true)
}

// Requests that this package writes itself carry the client's name and rack.
func TestRequestsNameTheClient(t *testing.T) {
	fetch := &rawFetch{client: "maps-eu", rack: "zone-7", follower: leader, version: newestFetch}
	for name, b := range map[string][]byte{
		"fetch":     fetch.encode(),
		"positions": (&offsetFetchRequest{client: "maps-eu"}).encode(),
		"describe":  (&describeRequest{recent: recent{client: "maps-eu"}}).encode(),
		"holders":   (&holdersRequest{recent: recent{client: "maps-eu"}}).encode(),
	} {
		if got := string(b[12 : 14+len("maps-eu")]); got != "\x00\x07maps-eu" {
			t.Errorf("%s: the client is %q", name, got)
		}
	}
	if b := string(fetch.encode()); !strings.HasSuffix(b, "\x00\x06zone-7") {
		t.Errorf("the fetch ends with %q", b)
	}
}
