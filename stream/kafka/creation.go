package kafka

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"slices"

	"github.com/segmentio/kafka-go/protocol"
)

// noCreation is a connection whose requests do not create topics. kafka-go's consumer group
// requests a topic's partitions in a way that makes brokers with auto.create.topics.enable create
// it, even if it was deleted or misspelt.
type noCreation struct{ net.Conn }

// Versions of Metadata whose last byte allows the creation of topics.
const (
	creationFrom = 4
	creationTo   = 7
)

// Write implements net.Conn. kafka-go writes a request with one call.
func (c noCreation) Write(b []byte) (int, error) {
	be := binary.BigEndian
	if n := len(b); n > 8 && int(be.Uint32(b)) == n-4 && protocol.ApiKey(be.Uint16(b[4:])) == protocol.Metadata {
		if v := be.Uint16(b[6:]); v >= creationFrom && v <= creationTo {
			b = slices.Clone(b)
			b[n-1] = 0
		}
	}
	return c.Conn.Write(b)
}

// dialGroup opens a connection for kafka-go's consumer group.
func (l *link) dialGroup(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := l.dialChecked(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return noCreation{conn}, nil
}

// dialChecked opens a connection whose answers are checked. TLS is added here, because requests and
// answers inside TLS could be neither changed nor checked.
func (l *link) dialChecked(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if l.cluster.TLS == nil {
		return &checkedAnswers{Conn: conn}, nil
	}
	config := l.cluster.TLS
	if config.ServerName == "" {
		config = config.Clone()
		if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &checkedAnswers{Conn: secure}, nil
}
