package kafka_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"unfold/stream/kafka"
)

// certificate returns a self-signed certificate for this machine, and a pool that trusts it.
func certificate(t *testing.T) (server *tls.Config, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// TestSecurity connects with TLS and each SASL mechanism, and with every wrong setting. The error
// comes within 10 s, names the broker, and contains no password.
func TestSecurity(t *testing.T) {
	t.Parallel()
	const password = "correct horse, battery=staple"
	server, client := certificate(t)
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(server), kfake.EnableSASL(), kfake.SeedTopics(1, "events"),
		kfake.Superuser("PLAIN", "ann", password), kfake.Superuser("SCRAM-SHA-256", "bob", password), kfake.Superuser("SCRAM-SHA-512", "eve,=", password))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	check := func(tls *tls.Config, mechanism, user, password string) error {
		c := kafka.Cluster{Brokers: fake.ListenAddrs(), TLS: tls}
		if mechanism != "" {
			if c.SASL, err = kafka.Authenticate(mechanism, user, password); err != nil {
				t.Fatal(err)
			}
			for _, shown := range []string{fmt.Sprintf("%v", c.SASL), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c.SASL)} {
				if strings.Contains(shown, password) {
					t.Errorf("a print shows the password: %s", shown)
				}
			}
		}
		return kafka.Check(t.Context(), c, "events")
	}
	for mechanism, user := range map[string]string{"plain": "ann", "SCRAM-SHA-256": "bob", "scram-sha-512": "eve,="} {
		if err := check(client, mechanism, user, password); err != nil {
			t.Errorf("%s: %v", mechanism, err)
		}
	}
	stranger := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	for name, try := range map[string]func() error{
		"wrong password":      func() error { return check(client, "scram-sha-256", "bob", "something else") },
		"unknown user":        func() error { return check(client, "scram-sha-512", "bob", password) },
		"plain, wrong":        func() error { return check(client, "plain", "ann", "something else") },
		"no SASL":             func() error { return check(client, "", "", "") },
		"no TLS":              func() error { return check(nil, "plain", "ann", password) },
		"unknown certificate": func() error { return check(stranger, "plain", "ann", password) },
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			err := try()
			if d := time.Since(begin); err == nil || d > 10*time.Second+slack {
				t.Fatalf("after %v: %v", d, err)
			}
			if !strings.Contains(err.Error(), fake.ListenAddrs()[0]) || strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "something else") {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := kafka.Authenticate("kerberos", "a", "b"); err == nil || !strings.Contains(err.Error(), "scram-sha-256") {
		t.Errorf("error %v", err)
	}
}
