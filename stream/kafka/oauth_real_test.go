package kafka_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// unsigned returns a JSON web token without a signature.
func unsigned(user string, from, until time.Time) string {
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return encode(`{"alg":"none"}`) + "." + encode(fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, user, from.Unix(), until.Unix())) + "."
}

// TestRealOAuth logs in to an Apache Kafka with tokens. The broker ends sessions after two seconds.
// Reading and writing continue through several sessions, with a new token for each connection, and
// nothing is lost or duplicated.
func TestRealOAuth(t *testing.T) {
	const session = 2 * time.Second
	broker := kafkatest.StartBearers(t, session)
	broker.Client(t).Create(t, "events", 1, 1, nil)
	var asked atomic.Int64
	token := func(context.Context) (string, error) {
		asked.Add(1)
		return unsigned("ann", time.Now().Add(-time.Minute), time.Now().Add(time.Minute)), nil
	}
	as := func(token kafka.TokenFunc) kafka.Cluster {
		m, err := kafka.AuthenticateOAuth(token, map[string]string{"poolId": "p"})
		if err != nil {
			t.Fatal(err)
		}
		return kafka.Cluster{Brokers: []string{broker.Addr()}, SASL: m}
	}

	for name, c := range map[string]struct {
		token kafka.TokenFunc
		want  string
	}{
		"expired": {func(context.Context) (string, error) {
			return unsigned("ann", time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)), nil
		}, "refuses the token"},
		"nonsense": {func(context.Context) (string, error) { return "s3cret", nil }, "SASL Authentication Failed"},
		"none":     {func(context.Context) (string, error) { return "", errors.New("the vault is closed") }, "the vault is closed"},
	} {
		begin := time.Now()
		err := kafka.Check(t.Context(), as(c.token), "events")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), broker.Addr()) || strings.Contains(err.Error(), "s3cret") || time.Since(begin) > 10*time.Second+slack {
			t.Errorf("%s, after %v: %v", name, time.Since(begin), err)
		}
	}

	sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: as(token), Topic: "events"})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	var retried atomic.Int64
	source, err := kafka.NewSource(t.Context(), kafka.SourceSettings{Cluster: as(token), Topic: "events", Group: "g",
		Retrying: func(what string, _ int, err error, _ time.Duration) { retried.Add(1); t.Logf("%s: %v", what, err) }})
	if err != nil {
		t.Fatal(err)
	}
	var received atomic.Int64
	reading := streamtest.Go(t, func(ctx context.Context) error {
		next := int64(0)
		for {
			gen, err := source.Next(ctx)
			if err != nil {
				return errors.Join(quietly(ctx, err), source.Close())
			}
			for {
				run, err := gen.Fetch(ctx, stream.TopicPartition{Topic: "events"}, nil)
				if err != nil {
					if ctx.Err() == nil && !errors.Is(err, stream.ErrRevoked) {
						return errors.Join(err, source.Close())
					}
					break
				}
				for _, m := range run.Messages {
					if m.Offset > next {
						return errors.Join(fmt.Errorf("offset %d follows %d", m.Offset, next), source.Close())
					}
					next = max(next, m.Offset+1)
				}
				received.Store(next)
				if err := gen.Commit(ctx, []stream.Position{{TopicPartition: stream.TopicPartition{Topic: "events"}, Offset: next}}); err != nil && ctx.Err() == nil && !errors.Is(err, stream.ErrRevoked) {
					t.Logf("commit: %v", err)
				}
			}
			if err := gen.Close(); err != nil {
				return errors.Join(err, source.Close())
			}
		}
	})
	before := asked.Load()
	sent := int64(0)
	for begin := time.Now(); time.Since(begin) < 4*session; time.Sleep(50 * time.Millisecond) {
		streamtest.Await(t, "a message is written", func() bool {
			err := sink.Write(t.Context(), []stream.Message{{Value: fmt.Append(nil, sent)}})
			if err != nil {
				t.Logf("write: %v", err)
			}
			return err == nil
		})
		sent++
	}
	streamtest.Await(t, "all is read", func() bool { return received.Load() >= sent })
	if err := reading.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, end := broker.Client(t).Bounds(t, "events"); end[0] != sent {
		t.Errorf("the topic holds %d messages of %d", end[0], sent)
	}
	if n := asked.Load() - before; n < 3 {
		t.Errorf("%d tokens in four sessions: the broker ended none", n)
	}
	t.Logf("%d messages, %d tokens, %d retries", sent, asked.Load(), retried.Load())
}

// quietly drops the error of a context that is done.
func quietly(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
