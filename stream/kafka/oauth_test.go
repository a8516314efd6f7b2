package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
)

func bearerOf(t *testing.T, token string, err error, extensions map[string]string) Mechanism {
	t.Helper()
	m, e := AuthenticateOAuth(func(context.Context) (string, error) { return token, err }, extensions)
	if e != nil {
		t.Fatal(e)
	}
	return m
}

// The client's first message is that of RFC 7628, section 4.1, as KIP-342 extends it.
func TestBearerMessage(t *testing.T) {
	const token = "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg=="
	for want, extensions := range map[string]map[string]string{
		"n,,\x01auth=Bearer " + token + "\x01\x01":                                       nil,
		"n,,\x01auth=Bearer " + token + "\x01logicalCluster=lkc-1\x01poolId=p 2\x01\x01": {"poolId": "p 2", "logicalCluster": "lkc-1"},
	} {
		m := bearerOf(t, token, nil, extensions)
		machine, got, err := m.Start(t.Context())
		if err != nil || string(got) != want || m.Name() != "OAUTHBEARER" {
			t.Errorf("%s sends %q, %v, want %q", m.Name(), got, err, want)
		}
		if done, _, err := machine.Next(t.Context(), nil); !done || err != nil {
			t.Errorf("after the broker's consent: %v, %v", done, err)
		}
		if shown := fmt.Sprintf("%v %+v %#v", m, Cluster{SASL: m}, m); strings.Contains(shown, token) {
			t.Errorf("a print shows the token: %s", shown)
		}
	}
}

// The broker's reason for refusing a token is passed on, and the login is not retried. A missing
// token may be temporary.
func TestBearerFailures(t *testing.T) {
	for name, c := range map[string]struct {
		answer, want string
	}{
		"RFC 7628": {`{"status":"invalid_token","scope":"example_scope","openid-configuration":"https://example.com/x"}`,
			"the broker refuses the token: invalid_token, scope example_scope, see https://example.com/x"},
		"bare":   {`{"status":"insufficient_scope"}`, "refuses the token: insufficient_scope"},
		"silent": {"no", "does not say why"},
	} {
		done, more, err := bearerOf(t, "secret", nil, nil).(bearer).Next(t.Context(), []byte(c.answer))
		if done || more != nil || !errors.Is(err, kafka.SASLAuthenticationFailed) || !strings.Contains(err.Error(), c.want) || kindOf(err) != final {
			t.Errorf("%s: %v, %q, %v", name, done, more, err)
		}
	}
	for name, m := range map[string]Mechanism{"no token": bearerOf(t, "", errors.New("it is late"), nil), "no token's form": bearerOf(t, "secret and\x01auth=more", nil, nil)} {
		_, _, err := m.Start(t.Context())
		if err == nil || kindOf(fmt.Errorf("dialing: %w", err)) != passing || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []map[string]string{{"auth": "x"}, {"a b": "x"}, {"": "x"}, {"a": "x\x01y"}, {"a": "\u00e4"}} {
		if _, err := AuthenticateOAuth(nil, bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
