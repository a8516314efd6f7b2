package kafka

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
)

// scram is RFC 5802 (SCRAM-SHA-256 in RFC 7677) without channel binding. As in
// Kafka's own clients text is taken as it is, without SASLprep.
//
//	client-first   n,,n=USER,r=NONCE
//	server-first   r=NONCE+,s=SALT,i=ITERATIONS
//	client-final   c=biws,r=NONCE+,p=PROOF
//	server-final   v=SIGNATURE
//
// SaltedPassword = PBKDF2(password, salt, i); ClientKey = HMAC(SaltedPassword,
// "Client Key"); proof = ClientKey xor HMAC(H(ClientKey), AuthMessage), where
// AuthMessage is client-first without "n,,", server-first, and client-final without
// its proof. The signature is HMAC(HMAC(SaltedPassword, "Server Key"), AuthMessage).
type scram struct {
	credentials
	hash func() hash.Hash
	name string
}

var scramHashes = map[string]func() hash.Hash{"scram-sha-256": sha256.New, "scram-sha-512": sha512.New}

// maxIterations bounds what a server may make this client compute.
const maxIterations = 1 << 20

// Name implements sasl.Mechanism.
func (s scram) Name() string { return s.name }

// Start implements sasl.Mechanism.
func (s scram) Start(context.Context) (sasl.StateMachine, []byte, error) {
	c := &scramExchange{scram: s, nonce: rand.Text()}
	return c, []byte("n,," + c.first()), nil
}

// scramExchange is one authentication.
type scramExchange struct {
	scram
	nonce string
	// signature is what the server has to answer last; nil before.
	signature []byte
}

// first is the client's first message without its header.
func (c *scramExchange) first() string {
	return "n=" + strings.NewReplacer("=", "=3D", ",", "=2C").Replace(c.user) + ",r=" + c.nonce
}

// Next implements sasl.StateMachine.
func (c *scramExchange) Next(_ context.Context, challenge []byte) (bool, []byte, error) {
	if c.signature == nil {
		answer, err := c.prove(string(challenge))
		return false, answer, err
	}
	fields := scramFields(string(challenge))
	if e := fields["e"]; e != "" {
		return false, nil, fmt.Errorf("kafka: %s: %s", c.name, e)
	}
	v, err := base64.StdEncoding.DecodeString(fields["v"])
	if err != nil || subtle.ConstantTimeCompare(v, c.signature) != 1 {
		return false, nil, errServerUnknown
	}
	return true, nil, nil
}

// prove answers the server's first message.
func (c *scramExchange) prove(challenge string) ([]byte, error) {
	fields := scramFields(challenge)
	if e := fields["e"]; e != "" {
		return nil, fmt.Errorf("kafka: %s: %s", c.name, e)
	}
	salt, err := base64.StdEncoding.DecodeString(fields["s"])
	iterations, err2 := strconv.Atoi(fields["i"])
	if err != nil || err2 != nil || len(salt) == 0 || iterations < 1 || iterations > maxIterations ||
		!strings.HasPrefix(fields["r"], c.nonce) || len(fields["r"]) == len(c.nonce) {
		return nil, errors.New("kafka: " + c.name + ": the broker's challenge is not one")
	}
	salted, err := pbkdf2.Key(c.hash, c.password(), salt, iterations, c.hash().Size())
	if err != nil {
		return nil, err
	}
	final := "c=biws,r=" + fields["r"]
	message := c.first() + "," + challenge + "," + final
	clientKey := c.mac(salted, "Client Key")
	h := c.hash()
	h.Write(clientKey)
	proof := c.mac(h.Sum(nil), message)
	subtle.XORBytes(proof, proof, clientKey)
	c.signature = c.mac(c.mac(salted, "Server Key"), message)
	return []byte(final + ",p=" + base64.StdEncoding.EncodeToString(proof)), nil
}

func (c *scramExchange) mac(key []byte, message string) []byte {
	m := hmac.New(c.hash, key)
	m.Write([]byte(message))
	return m.Sum(nil)
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
