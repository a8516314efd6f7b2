package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Cluster specifies the connection to the brokers.
type Cluster struct {
	// Brokers are the bootstrap addresses, host:port; at least one.
	Brokers []string
	// TLS, if not nil, secures the connections. SASL, if not nil, authenticates.
	TLS  *tls.Config
	SASL Mechanism
	// ClientID identifies this program in the brokers' logs. Default "unfold".
	ClientID string
	// Rack, if not empty, is the rack of this program. Brokers with a rack-aware
	// replica.selector.class let it read from the nearest replica.
	Rack string
}

const (
	// openTimeout bounds all requests of a constructor. connectTimeout bounds connecting, and any
	// single request.
	openTimeout    = 10 * time.Second
	connectTimeout = 8 * time.Second
	dialTimeout    = 3 * time.Second
	// metadataTTL is the largest delay until a new leader is noticed.
	metadataTTL = 2 * time.Second
)

// link is a set of connections to a cluster that can be closed together.
type link struct {
	cluster   Cluster
	addr      net.Addr
	transport transport
	dialer    *kafka.Dialer
	codecs    codecs

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// transport is a kafka.Transport.
type transport interface {
	kafka.RoundTripper
	CloseIdleConnections()
}

// connect connects to one of the brokers and checks that the topics exist. Errors name the brokers
// or the topic.
func connect(ctx context.Context, c Cluster, topics ...string) (*link, error) {
	if len(c.Brokers) == 0 {
		return nil, errors.New("kafka: no brokers given")
	}
	if c.ClientID == "" {
		c.ClientID = "unfold"
	}
	l := &link{cluster: c, addr: kafka.TCP(c.Brokers...), open: map[net.Conn]struct{}{}}
	l.dialer = &kafka.Dialer{ClientID: c.ClientID, Timeout: dialTimeout, DialFunc: l.dialGroup, SASLMechanism: c.SASL}
	l.transport = &kafka.Transport{Dial: l.dialChecked, DialTimeout: dialTimeout, MetadataTTL: metadataTTL, MetadataTopics: topics, ClientID: c.ClientID, SASL: c.SASL}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	err := l.reach(ctx)
	for _, topic := range topics {
		if err == nil {
			err = l.find(ctx, topic)
		}
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// find checks that a topic exists. If the answer is lost it retries, finally after more than
// metadataTTL, for which the transport caches the failure. Other errors are returned at once.
func (l *link) find(ctx context.Context, topic string) error {
	retry := &retry{what: "topic", most: 6, strange: maxStrange}
	return retry.until(ctx, func() error {
		_, err := l.partitions(ctx, topic)
		return err
	})
}

// reach opens and closes a connection to the first broker that answers. Only this yields the cause
// of a failure, because the transport does not return it.
func (l *link) reach(ctx context.Context) error {
	var errs []error
	for _, broker := range l.cluster.Brokers {
		conn, err := l.dialer.DialContext(ctx, "tcp", broker)
		if err == nil {
			return conn.Close()
		}
		errs = append(errs, fmt.Errorf("%s: %w", broker, l.explain(err)))
	}
	return fmt.Errorf("kafka: cannot reach any broker: %w", errors.Join(errs...))
}

// explain adds the probable cause to an error for which the broker gives none.
func (l *link) explain(err error) error {
	if errors.Is(err, kafka.IllegalSASLState) {
		return fmt.Errorf("%w (this port may expect no SASL: use that of a listener with SASL, or leave sasl out)", err)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
		return err
	}
	why := "it may expect TLS or SASL"
	switch {
	case l.cluster.SASL != nil:
		why = "user, password or token may be wrong, or this port may expect no SASL"
	case l.cluster.TLS != nil:
		why = "it may expect SASL, or no TLS"
	}
	return fmt.Errorf("%w (the broker closed the connection: %s)", err, why)
}

// partitions returns the number of partitions of a topic, from metadata that is at most metadataTTL
// old.
func (l *link) partitions(ctx context.Context, topic string) (int, error) {
	r, err := l.client(connectTimeout).Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return 0, fmt.Errorf("kafka: asking %s about topic %s: %w", strings.Join(l.cluster.Brokers, ","), topic, l.explain(err))
	}
	for _, t := range r.Topics {
		if t.Name != topic {
			continue
		}
		if errors.Is(t.Error, kafka.UnknownTopicOrPartition) {
			return 0, fmt.Errorf("kafka: topic %s on %s: %w (create it first, or check its name, and that this client has the right Describe)",
				topic, strings.Join(l.cluster.Brokers, ","), stream.ErrUnknownTopic)
		}
		if t.Error != nil && len(t.Partitions) == 0 {
			return 0, fmt.Errorf("kafka: topic %s: %w", topic, lacking(t.Error, "Describe"))
		}
		return len(t.Partitions), nil
	}
	return 0, fmt.Errorf("kafka: topic %s: %w", topic, stream.ErrUnknownTopic)
}

// all lists the partitions of a topic.
func (l *link) all(ctx context.Context, topic string) ([]int, error) {
	n, err := l.partitions(ctx, topic)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("kafka: topic %s has no partitions", topic)
	}
	all := make([]int, n)
	for p := range all {
		all[p] = p
	}
	return all, nil
}

func (l *link) client(timeout time.Duration) *kafka.Client {
	return &kafka.Client{Addr: l.addr, Timeout: timeout, Transport: l.transport}
}

// dial opens a connection that close can close.
func (l *link) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	t := &tracked{Conn: conn, link: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	l.open[t] = struct{}{}
	return t, nil
}

// close closes all connections and prevents new ones. Pending requests fail.
func (l *link) close() {
	l.transport.CloseIdleConnections()
	l.mu.Lock()
	l.closed = true
	conns := l.open
	l.open = nil
	l.mu.Unlock()
	for conn := range conns {
		conn.(*tracked).Conn.Close()
	}
}

// tracked is a connection that its link tracks.
type tracked struct {
	net.Conn
	link *link
}

func (t *tracked) Close() error {
	t.link.mu.Lock()
	delete(t.link.open, t)
	t.link.mu.Unlock()
	return t.Conn.Close()
}

// Check connects to the cluster and checks that topics exist. It returns within 10 s, with the
// joined errors of all topics.
func Check(ctx context.Context, c Cluster, topics ...string) error {
	return check(ctx, c, func(context.Context, *link, string) error { return nil }, topics)
}

// check checks topics and calls look for each that exists.
func check(ctx context.Context, c Cluster, look func(ctx context.Context, l *link, topic string) error, topics []string) error {
	return visit(ctx, c, func(ctx context.Context, l *link) error {
		var errs []error
		for _, topic := range topics {
			err := l.find(ctx, topic)
			if err == nil {
				err = look(ctx, l, topic)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// visit connects, calls ask and closes the connections.
func visit(ctx context.Context, c Cluster, ask func(ctx context.Context, l *link) error) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	l, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer l.close()
	return ask(ctx, l)
}
