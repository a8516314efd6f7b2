package kafkatest

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/internal/testkit/tier"
	"unfold/stream/kafka/kafkatest/apache"
)

// Real is a running Apache Kafka of one node.
type Real struct {
	t      testing.TB
	broker *apache.Broker
}

// startsKafka is the reason why a test is not in the quick tier.
const startsKafka = "it starts Apache Kafka"

// StartReal starts a broker, in the full tier of tests. Without java or mvn see tier.Missing. It
// sends clients to the address advertised, which may be a proxy; by default its own.
func StartReal(t testing.TB, advertised string) *Real {
	t.Helper()
	return start(t, func() (*apache.Broker, error) { return apache.New(advertised) })
}

// StartGuarded is StartReal for a broker with SASL PLAIN logins. All users but super have only the
// permissions that they are granted.
func StartGuarded(t testing.TB, super, password string, users ...string) *Real {
	t.Helper()
	return start(t, func() (*apache.Broker, error) { return apache.NewGuarded(super, password, users...) })
}

// StartBearers is StartReal for a broker with SASL OAUTHBEARER logins by unsigned tokens. Clients
// must log in again after each session.
func StartBearers(t testing.TB, session time.Duration) *Real {
	t.Helper()
	return start(t, func() (*apache.Broker, error) { return apache.NewBearers(session) })
}

func start(t testing.TB, prepare func() (*apache.Broker, error)) *Real {
	t.Helper()
	tier.Full(t, startsKafka)
	begin := time.Now()
	broker, err := prepare()
	if errors.Is(err, apache.ErrUnavailable) {
		tier.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	b := &Real{t, broker}
	t.Cleanup(func() {
		if err := broker.Remove(); err != nil {
			t.Error(err)
		}
	})
	b.Start()
	t.Logf("Apache Kafka %s on %s, ready after %v", broker.Version(), broker.Addr, time.Since(begin).Round(100*time.Millisecond))
	return b
}

// Name describes the broker.
func (b *Real) Name() string { return "Apache Kafka " + b.broker.Version() }

// Addr returns the broker's address.
func (b *Real) Addr() string { return b.broker.Addr }

// Client returns a client that ignores the advertised address.
func (b *Real) Client(t testing.TB) *Client {
	return NewClient(t, []string{b.broker.Inner}, kgo.DisableIdempotentWrite())
}

// Start starts the broker, or restarts it after Kill, and waits until it is ready.
func (b *Real) Start() {
	b.t.Helper()
	if err := b.broker.Start(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// Kill kills the broker, like a crash. It is safe for concurrent use.
func (b *Real) Kill() {
	b.t.Helper()
	if err := b.broker.Kill(); err != nil {
		b.t.Error(err)
	}
}

// KillLeader is Kill, because the broker leads all partitions.
func (b *Real) KillLeader(string, int) { b.Kill() }
