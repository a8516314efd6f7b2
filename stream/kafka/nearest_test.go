package kafka

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unfold/stream"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Fetches go to a follower as long as it works, and otherwise to the leader.
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

// Requests written by this package contain the client's name and rack. A fetch by id names the topic
// by its id.
func TestRequestsNameTheClient(t *testing.T) {
	fetch := &rawFetch{client: "maps-eu", rack: "zone-7", follower: leader, version: fetchByID,
		id: [16]byte{1, 2}, offset: 1 << 40, bytes: 77, wait: time.Second, tp: stream.TopicPartition{Topic: "events", Partition: 3}}
	talk := &conversation{answer: bytes.NewReader(nil)}
	_, _ = converse(talk, fetch.request(), fetch.client, atMost(0))
	if got := talk.sent.String(); got[12:14+len("maps-eu")] != "\x00\x07maps-eu" || strings.Contains(got, "events") {
		t.Errorf("the fetch is %q", got)
	}
	asked := kmsg.NewPtrFetchRequest()
	asked.Version = fetchByID
	if err := asked.ReadFrom(talk.sent.Bytes()[14+len("maps-eu")+1:]); err != nil {
		t.Fatal(err)
	}
	topic := asked.Topics[0]
	p := topic.Partitions[0]
	if asked.Rack != "zone-7" || asked.MaxWaitMillis != 1000 || asked.MaxBytes != 77 || asked.IsolationLevel != 1 || asked.SessionEpoch != -1 || topic.TopicID != fetch.id ||
		p.Partition != 3 || p.FetchOffset != 1<<40 || p.PartitionMaxBytes != 77 || p.CurrentLeaderEpoch != -1 || p.LastFetchedEpoch != -1 {
		t.Errorf("the fetch by id asks for %+v", asked)
	}
}
