package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
)

// TokenFunc returns the access token for a new connection. It is called for each connection, by
// several goroutines.
type TokenFunc func(ctx context.Context) (string, error)

// AuthenticateOAuth returns the mechanism OAUTHBEARER (RFC 7628). extensions are sent to the broker
// with the token. The token is sent in clear text: use TLS.
func AuthenticateOAuth(token TokenFunc, extensions map[string]string) (sasl.Mechanism, error) {
	var suffix strings.Builder
	for _, key := range slices.Sorted(maps.Keys(extensions)) {
		if key == "auth" || !extensionKey.MatchString(key) {
			return nil, fmt.Errorf("kafka: %q cannot name a SASL extension: letters only, and not auth", key)
		}
		if !extensionValue.MatchString(extensions[key]) {
			return nil, fmt.Errorf("kafka: the value of the SASL extension %s has characters outside ASCII", key)
		}
		suffix.WriteString(key + "=" + extensions[key] + "\x01")
	}
	return bearer{token, suffix.String()}, nil
}

// The grammar of extensions in RFC 7628, section 3.1.
var (
	extensionKey   = regexp.MustCompile(`^[A-Za-z]+$`)
	extensionValue = regexp.MustCompile(`^[\x21-\x7e \t\r\n]*$`)
	tokenText      = regexp.MustCompile(`^[A-Za-z0-9\-._~+/]+=*$`)
)

// bearer is RFC 7628 in the form of KIP-255. It does not contain a token.
type bearer struct {
	token      TokenFunc
	extensions string
}

// Name implements sasl.Mechanism.
func (bearer) Name() string { return "OAUTHBEARER" }

// Start implements sasl.Mechanism.
func (b bearer) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	token, err := b.token(ctx)
	if err != nil {
		return nil, nil, &tokenError{err}
	}
	if !tokenText.MatchString(token) {
		return nil, nil, &tokenError{errors.New("the token has characters that RFC 6750 does not allow")}
	}
	return b, []byte("n,,\x01auth=Bearer " + token + "\x01" + b.extensions + "\x01"), nil
}

// Next implements sasl.StateMachine. A broker that rejects the token sends the reason as JSON and
// then waits for one more byte before the error. The error is returned without that.
func (bearer) Next(_ context.Context, challenge []byte) (bool, []byte, error) {
	if len(challenge) == 0 {
		return true, nil, nil
	}
	var why struct {
		Status string `json:"status"`
		Scope  string `json:"scope"`
		Config string `json:"openid-configuration"`
	}
	if err := json.Unmarshal(challenge, &why); err != nil || why.Status == "" {
		return false, nil, fmt.Errorf("%w: the broker refuses the token and does not say why", kafka.SASLAuthenticationFailed)
	}
	text := why.Status
	if why.Scope != "" {
		text += ", scope " + why.Scope
	}
	if why.Config != "" {
		text += ", see " + why.Config
	}
	return false, nil, fmt.Errorf("%w: the broker refuses the token: %s", kafka.SASLAuthenticationFailed, text)
}

// tokenError is the error of a token that is not available now. It is retriable, because tokens may
// be renewed late.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return "no token to authenticate with: " + e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }
