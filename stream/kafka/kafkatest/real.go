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

// StartReal starts a broker, in the tier of all tests; where there is no java or mvn, see tier.Missing.
// Clients that connect are sent to the address advertised, by default the broker's own: a proxy may stand there.
func StartReal(t testing.TB, advertised string) *Real {
	t.Helper()
	return start(t, func() (*apache.Broker, error) { return apache.New(advertised) })
}

// StartGuarded is StartReal for a broker to which users have to log in with SASL PLAIN;
// all but super may do what they are granted.
func StartGuarded(t testing.TB, super, password string, users ...string) *Real {
	t.Helper()
	return start(t, func() (*apache.Broker, error) { return apache.NewGuarded(super, password, users...) })
}

// StartBearers is StartReal for a broker to which clients log in with SASL OAUTHBEARER,
// by tokens that nobody signed, again after each session.
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

// Name says what broker it is.
func (b *Real) Name() string { return "Apache Kafka " + b.broker.Version() }

// Addr is where the broker listens.
func (b *Real) Addr() string { return b.broker.Addr }

// Client returns a client that goes around what is advertised.
func (b *Real) Client(t testing.TB) *Client {
	return NewClient(t, []string{b.broker.Inner}, kgo.DisableIdempotentWrite())
}

// Start runs the broker, again after Kill, and waits until it is ready.
func (b *Real) Start() {
	b.t.Helper()
	if err := b.broker.Start(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// Kill ends the broker as a crash would. Any goroutine may call it.
func (b *Real) Kill() {
	b.t.Helper()
	if err := b.broker.Kill(); err != nil {
		b.t.Error(err)
	}
}

// KillLeader is Kill: the broker leads everything.
func (b *Real) KillLeader(string, int) { b.Kill() }
