package kafka

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	xdg "github.com/xdg-go/scram"
)

// scram is RFC 5802 (SCRAM-SHA-256 in RFC 7677) without channel binding. It uses the library
// beneath kafka-go's own mechanism. kafka-go applies SASLprep to text; like Kafka's own clients,
// scram does not.
type scram struct {
	credentials
	hash xdg.HashGeneratorFcn
	name string
	// nonce returns the client's nonce; nil means the library's own.
	nonce func() string
}

var scramHashes = map[string]xdg.HashGeneratorFcn{"scram-sha-256": xdg.SHA256, "scram-sha-512": xdg.SHA512}

// maxIterations bounds the iterations that a server may demand.
const maxIterations = 1 << 20

// Name implements sasl.Mechanism.
func (s scram) Name() string { return s.name }

// Start implements sasl.Mechanism.
func (s scram) Start(context.Context) (sasl.StateMachine, []byte, error) {
	client, err := s.hash.NewClientUnprepped(s.user, s.password(), "")
	if err != nil {
		return nil, nil, fmt.Errorf("kafka: %s: %w", s.name, err)
	}
	if s.nonce != nil {
		client = client.WithNonceGenerator(s.nonce)
	}
	c := &scramExchange{name: s.name, talk: client.NewConversation()}
	first, err := c.talk.Step("")
	_, c.nonce, _ = strings.Cut(first, ",r=")
	return c, []byte(first), err
}

// scramExchange is one authentication.
type scramExchange struct {
	name, nonce string
	talk        *xdg.ClientConversation
	proved      bool
}

// Next implements sasl.StateMachine.
func (c *scramExchange) Next(_ context.Context, challenge []byte) (bool, []byte, error) {
	fields := scramFields(string(challenge))
	if e := fields["e"]; e != "" {
		return false, nil, fmt.Errorf("kafka: %s: %s", c.name, e)
	}
	if !c.proved && !c.plausible(fields) {
		return false, nil, errors.New("kafka: " + c.name + ": the broker's challenge is not one")
	}
	answer, err := c.talk.Step(string(challenge))
	switch {
	case err != nil && c.proved:
		return false, nil, errServerUnknown
	case err != nil:
		return false, nil, fmt.Errorf("kafka: %s: invalid challenge from the broker: %w", c.name, err)
	}
	c.proved = true
	return c.talk.Valid(), []byte(answer), nil
}

// plausible reports whether a challenge has a salt, a nonce that begins with the client's, and at
// most maxIterations iterations. The library checks none of these.
func (c *scramExchange) plausible(fields map[string]string) bool {
	salt, err := base64.StdEncoding.DecodeString(fields["s"])
	iterations, err2 := strconv.Atoi(fields["i"])
	return err == nil && err2 == nil && len(salt) > 0 && iterations <= maxIterations &&
		strings.HasPrefix(fields["r"], c.nonce) && len(fields["r"]) > len(c.nonce)
}

// scramFields splits a message "a=b,c=d".
func scramFields(message string) map[string]string {
	out := map[string]string{}
	for _, field := range strings.Split(message, ",") {
		if k, v, ok := strings.Cut(field, "="); ok && len(k) == 1 {
			out[k] = v
		}
	}
	return out
}
