package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
)

// Mechanism is a SASL mechanism of Authenticate, AuthenticateOAuth or AuthenticateMSK.
type Mechanism = sasl.Mechanism

// mechanisms are the names that Authenticate accepts.
var mechanisms = []string{"plain", "scram-sha-256", "scram-sha-512"}

// Authenticate returns a SASL mechanism by its name, in lower case or in Kafka's upper case. fmt
// does not print the password. With plain it is sent in clear text: use TLS.
func Authenticate(mechanism, user, password string) (sasl.Mechanism, error) {
	name := strings.ToLower(mechanism)
	if !slices.Contains(mechanisms, name) {
		return nil, fmt.Errorf("kafka: SASL mechanism %q is not known; use %s", mechanism, strings.Join(mechanisms, ", "))
	}
	if user == "" || password == "" {
		return nil, fmt.Errorf("kafka: %s needs a user and a password", mechanism)
	}
	secret := credentials{user, func() string { return password }}
	if name == "plain" {
		return plain{secret}, nil
	}
	return scram{credentials: secret, hash: scramHashes[name], name: strings.ToUpper(name)}, nil
}

// credentials hides the password in a function: fmt prints only its address.
type credentials struct {
	user     string
	password func() string
}

// plain is RFC 4616.
type plain struct{ credentials }

// Name implements sasl.Mechanism.
func (plain) Name() string { return "PLAIN" }

// Start implements sasl.Mechanism.
func (p plain) Start(context.Context) (sasl.StateMachine, []byte, error) {
	return p, []byte("\x00" + p.user + "\x00" + p.password()), nil
}

// Next implements sasl.StateMachine.
func (plain) Next(context.Context, []byte) (bool, []byte, error) { return true, nil, nil }

var errServerUnknown = errors.New("kafka: the broker does not know this user's password either: it may not be the broker it says it is")
