package kafka

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"slices"

	"github.com/segmentio/kafka-go/protocol"
)

// noCreation is a connection whose requests create no topic. The library's consumer group asks
// for a topic's partitions in a way that makes brokers create it, where they are set to
// (auto.create.topics.enable): a topic that was deleted, or misspelt.
type noCreation struct{ net.Conn }

// Versions of Metadata whose last byte says whether a topic may be created.
const (
	creationFrom = 4
	creationTo   = 7
)

// Write implements net.Conn. The library writes a request at once.
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

// dialGroup opens a connection for the library's consumer group: with TLS here, since behind
// that requests cannot be seen.
func (l *link) dialGroup(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if l.cluster.TLS == nil {
		return noCreation{conn}, nil
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
	return noCreation{secure}, nil
}
