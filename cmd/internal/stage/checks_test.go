package stage

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/cmd/internal/config"
)

// TestChecksByRole: each role checks the permissions of its own group, and transactions only if it
// delivers.
func TestChecksByRole(t *testing.T) {
	for role, want := range map[string]struct {
		group, asked string
		producers    int
	}{
		config.RoleAll:   {"the group, g", "g", 1},
		config.RoleEmbed: {"the group, g", "g", 1},
		config.RoleLearn: {"the group, g-learn", "g-learn", 0},
	} {
		t.Run(role, func(t *testing.T) {
			c := config.Defaults()
			c.Role, c.Delivery = role, "exactly-once"
			c.Source.Kafka.Topic, c.Source.Kafka.Group, c.Sink.Kafka.Topic = "in", "g", "out"
			broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "in", "out"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(broker.Close)
			c.Source.Kafka.Brokers = broker.ListenAddrs()
			var asked sync.Mutex
			var groups, producers []string
			broker.ControlKey(int16(kmsg.DescribeGroups), func(r kmsg.Request) (kmsg.Response, error, bool) {
				broker.KeepControl()
				asked.Lock()
				defer asked.Unlock()
				groups = append(groups, r.(*kmsg.DescribeGroupsRequest).Groups...)
				return nil, nil, false
			})
			broker.ControlKey(int16(kmsg.DescribeTransactions), func(r kmsg.Request) (kmsg.Response, error, bool) {
				broker.KeepControl()
				asked.Lock()
				defer asked.Unlock()
				producers = append(producers, r.(*kmsg.DescribeTransactionsRequest).TransactionalIDs...)
				return nil, nil, false
			})
			var names []string
			for _, check := range Checks(Settings{Config: c}) {
				names = append(names, check.Name)
				if !strings.HasPrefix(check.Name, "the group") {
					continue
				}
				if detail, err := check.Do(t.Context()); detail != "" || err != nil {
					t.Errorf("%s: %q, %v", check.Name, detail, err)
				}
			}
			if !slices.Contains(names, want.group) || slices.Contains(names, "the topic of the sink, out") == (role == config.RoleLearn) {
				t.Errorf("the checks are %q", names)
			}
			asked.Lock()
			defer asked.Unlock()
			if !slices.Equal(slices.Compact(groups), []string{want.asked}) || len(slices.Compact(producers)) != want.producers {
				t.Errorf("asked for groups %q and transactional ids %q", groups, producers)
			}
		})
	}
}
