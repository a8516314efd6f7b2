package kafka_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// The users of a cluster with permissions. All have the same password.
const (
	super, password = "root", "secret"

	nobody   = "nobody"   // no permissions
	stranger = "stranger" // may read the topic, but not use the group
	visitor  = "visitor"  // may describe the group, but not join it
	reader   = "reader"   // may describe the topic of outputs, but not write to it
	writer   = "writer"   // may do everything without transactions
	blind    = "blind"    // may do everything except read
	owner    = "owner"    // may do everything
)

// permission is one permission of a user.
type permission struct {
	resource kmsg.ACLResourceType
	name     string
	op       kmsg.ACLOperation
}

// The permissions of the users. A permission to read or write a topic includes one to describe it.
var permissions = func() map[string][]permission {
	const topic, group, id = kmsg.ACLResourceTypeTopic, kmsg.ACLResourceTypeGroup, kmsg.ACLResourceTypeTransactionalId
	const see, read, write = kmsg.ACLOperationDescribe, kmsg.ACLOperationRead, kmsg.ACLOperationWrite
	in, member, out, transact := permission{topic, "in", read}, permission{group, "g", read}, permission{topic, "out", write}, permission{id, "unfold-g-in-0", write}
	return map[string][]permission{
		nobody:   nil,
		stranger: {in},
		visitor:  {in, {group, "g", see}},
		reader:   {in, member, {topic, "out", see}, transact},
		writer:   {in, member, out},
		blind:    {{topic, "in", see}, member, out, transact},
		owner:    {in, member, out, transact},
	}
}()

// guarded is a cluster that requires a login, with topics in and out.
type guarded struct{ brokers []string }

// as returns the cluster seen by one of its users.
func (g guarded) as(t *testing.T, user string) kafka.Cluster {
	t.Helper()
	auth, err := kafka.Authenticate("plain", user, password)
	if err != nil {
		t.Fatal(err)
	}
	return kafka.Cluster{Brokers: g.brokers, SASL: auth}
}

// guard creates topics, grants all permissions, and waits until they are in effect.
func guard(t *testing.T, brokers []string) guarded {
	t.Helper()
	c := kafkatest.NewClient(t, brokers, kgo.SASL(plain.Auth{User: super, Pass: password}.AsMechanism()))
	for _, topic := range []string{"in", "out"} {
		c.Create(t, topic, 1, 1, nil)
		c.Produce(t, topic, 0, stream.Message{Value: []byte("1")})
	}
	req := kmsg.NewPtrCreateACLsRequest()
	for user, all := range permissions {
		for _, r := range all {
			acl := kmsg.NewCreateACLsRequestCreation()
			acl.ResourceType, acl.ResourceName, acl.ResourcePatternType = r.resource, r.name, kmsg.ACLResourcePatternTypeLiteral
			acl.Principal, acl.Host, acl.Operation, acl.PermissionType = "User:"+user, "*", r.op, kmsg.ACLPermissionTypeAllow
			req.Creations = append(req.Creations, acl)
		}
	}
	resp, err := req.RequestWith(t.Context(), c.Kafka)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resp.Results {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			t.Fatal(err)
		}
	}
	streamtest.Await(t, "the permissions to hold", func() bool {
		ask := kmsg.NewPtrDescribeACLsRequest()
		ask.ResourceType, ask.ResourcePatternType = kmsg.ACLResourceTypeAny, kmsg.ACLResourcePatternTypeAny
		ask.Operation, ask.PermissionType = kmsg.ACLOperationAny, kmsg.ACLPermissionTypeAny
		resp, err := ask.RequestWith(t.Context(), c.Kafka)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range resp.Resources {
			n += len(r.ACLs)
		}
		return n == len(req.Creations)
	})
	return guarded{brokers}
}

// TestACLs: the error for a missing permission names the permission and the resource.
func TestACLs(t *testing.T) {
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", super, password),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"})}
	for user := range permissions {
		opts = append(opts, kfake.User("PLAIN", user, password))
	}
	fake, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	testACLs(t, guard(t, fake.ListenAddrs()))
}

// TestRealACLs runs the same on an Apache Kafka with its StandardAuthorizer.
func TestRealACLs(t *testing.T) {
	var users []string
	for user := range permissions {
		users = append(users, user)
	}
	testACLs(t, guard(t, []string{kafkatest.StartGuarded(t, super, password, users...).Addr()}))
}

func testACLs(t *testing.T, g guarded) {
	t.Run("source", func(t *testing.T) { testACLsOfSource(t, g) })
	t.Run("sink", func(t *testing.T) { testACLsOfSink(t, g) })
	t.Run("check", func(t *testing.T) { testACLsChecked(t, g) })
	t.Run("topic of announcements", func(t *testing.T) { testACLsOfTopic(t, g) })
}

// named checks that an error contains all of these names, and is nil if there are none.
func named(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	if err == nil && len(want) > 0 {
		t.Errorf("%s: no error, want one about %q", what, want)
	}
	if err != nil && len(want) == 0 {
		t.Errorf("%s: %v", what, err)
	}
	for _, w := range want {
		if err != nil && !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error lacks %q: %v", what, w, err)
		}
	}
}

// testACLsOfSource runs up to the first fetch.
func testACLsOfSource(t *testing.T, g guarded) {
	fetch := func(user string, transactions *kafka.Transactions) error {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		source, err := kafka.NewSource(ctx, kafka.SourceSettings{Cluster: g.as(t, user), Topic: "in", Group: "g", Transactions: transactions})
		if err != nil {
			return err
		}
		gen, err := source.Next(ctx)
		if err == nil {
			_, err = gen.Fetch(ctx, stream.TopicPartition{Topic: "in"}, nil)
		}
		return errors.Join(err, source.Close())
	}
	for user, want := range map[string][]string{
		nobody: {"topic in", "Describe"}, stranger: {"group g", "Group Authorization Failed", "Read"}, visitor: {"group g", "Read"},
		blind: {"topic in", "Read"}, reader: nil, owner: nil, super: nil,
	} {
		named(t, user, fetch(user, nil), want...)
	}
	for user, want := range map[string][]string{
		reader: {"topic out", "Topic Authorization Failed", "Write"}, writer: {"unfold-g-in-0", "Transactional ID Authorization Failed", "Write"},
		blind: {"topic in", "Read"}, owner: nil, super: nil,
	} {
		named(t, user+", transactions", fetch(user, &kafka.Transactions{Outputs: "out"}), want...)
	}
}

// testACLsOfSink: a topic without permission to write is reported when it is opened, and by the
// check before. Neither writes anything. A user with the permission can write.
func testACLsOfSink(t *testing.T, g guarded) {
	for user, want := range map[string][]string{reader: {"topic out", "Write"}, stranger: {"topic out", "Describe"}, writer: nil, super: nil} {
		c := g.as(t, user)
		begin := time.Now()
		sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: c, Topic: "out"})
		if err == nil {
			err = errors.Join(sink.Write(t.Context(), []stream.Message{{Value: []byte(user)}}), sink.Close())
		}
		named(t, "opening as "+user, err, want...)
		named(t, "checking as "+user, kafka.CheckWritable(t.Context(), c, "out"), want...)
		if user != stranger {
			named(t, "looking as "+user, kafka.Check(t.Context(), c, "out"))
		}
		named(t, "as "+user+", of a topic that is not there", kafka.CheckWritable(t.Context(), c, "absent"), "absent")
		if d := time.Since(begin); d > 10*time.Second+slack {
			t.Errorf("as %s it took %v", user, d)
		}
	}
	if got := kafkatest.NewClient(t, g.brokers, kgo.SASL(plain.Auth{User: super, Pass: password}.AsMechanism())).Read(t, "out"); len(got) != 3 {
		t.Errorf("the topic holds %d messages, want the one from before and two", len(got))
	}
}

// testACLsChecked: missing permissions to join the group, or to use names of producers, are
// reported before anything joins.
func testACLsChecked(t *testing.T, g guarded) {
	for user, want := range map[string][2][]string{
		stranger: {{"group g", "Read"}, {"group g", "Read"}}, visitor: {{"group g", "Read"}, {"group g", "Read"}},
		writer: {nil, {"unfold-g-in-0", "uthoriz", "Write"}}, owner: {}, super: {},
	} {
		for i, transactions := range []bool{false, true} {
			what := user
			if transactions {
				what += ", transactions"
			}
			named(t, what, kafka.CheckGroup(t.Context(), g.as(t, user), "in", "g", transactions), want[i]...)
		}
	}
}

// testACLsOfTopic: users who may not read, write or describe the topic.
func testACLsOfTopic(t *testing.T, g guarded) {
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	for user, want := range map[string][]string{blind: {"topic in", "Read"}, owner: nil} {
		set := kafka.CompactedSettings{Cluster: g.as(t, user), Topic: "in"}
		b, err := kafka.OpenCompacted(ctx, set)
		if err == nil {
			_, err = b.Next(ctx)
			err = errors.Join(err, b.Close())
		}
		named(t, "reading as "+user, err, want...)
		r, err := kafka.OpenTopic(ctx, kafka.TopicSettings{Cluster: set.Cluster, Topic: "in"})
		if err == nil {
			_, err = r.Next(ctx)
			err = errors.Join(err, r.Close())
		}
		named(t, "reading all as "+user, err, want...)
	}
	for user, want := range map[string][]string{writer: {"transactional id unfold-g-in-0", "Write"}, reader: {"topic out", "Write"}, owner: nil} {
		d, err := kafka.OpenFencedWriter(ctx, kafka.CompactedSettings{Cluster: g.as(t, user), Topic: "out"}, "unfold-g-in-0")
		if err == nil {
			err = d.Write(ctx, stream.Message{Value: []byte("2")})
			err = errors.Join(err, d.Close())
		}
		named(t, "writing as "+user, err, want...)
	}
}
