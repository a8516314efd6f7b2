package kafka_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
)

// certificate makes one for this machine, signed by itself, and who trusts it.
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

// TestSecurity connects with TLS and each SASL mechanism, and wrongly in every way:
// the error comes within 10 s, names the broker, and holds no password.
func TestSecurity(t *testing.T) {
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

// TestRights: a right that is missing is named with what it is missing for.
func TestRights(t *testing.T) {
	allow := func(resource kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	read := allow(kmsg.ACLResourceTypeTopic, "in", kmsg.ACLOperationRead)
	describe := allow(kmsg.ACLResourceTypeTopic, "in", kmsg.ACLOperationDescribe)
	member := allow(kmsg.ACLResourceTypeGroup, "g", kmsg.ACLOperationRead)
	see := allow(kmsg.ACLResourceTypeTopic, "out", kmsg.ACLOperationDescribe)
	out := []kfake.ACL{see, allow(kmsg.ACLResourceTypeTopic, "out", kmsg.ACLOperationWrite)}
	for name, c := range map[string]struct {
		acls []kfake.ACL
		want []string
	}{
		"not the topic":       {nil, []string{"topic in", "uthoriz"}},
		"not the group":       {[]kfake.ACL{read, describe}, []string{"group g", "Group Authorization Failed"}},
		"not writing":         {[]kfake.ACL{read, describe, member, see}, []string{"topic out", "Write", "Topic Authorization Failed"}},
		"not the transaction": {append([]kfake.ACL{read, describe, member}, out...), []string{"unfold-g-in-0", "Transactional ID Authorization Failed"}},
		"not reading":         {append([]kfake.ACL{describe, member, allow(kmsg.ACLResourceTypeTransactionalId, "unfold-g-in-0", kmsg.ACLOperationWrite)}, out...), []string{"topic in"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.SeedTopics(1, "in", "out"),
				kfake.Superuser("PLAIN", "root", "root"), kfake.User("PLAIN", "ann", "secret", c.acls...))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(fake.Close)
			auth, err := kafka.Authenticate("plain", "ann", "secret")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			set := kafka.SourceSettings{Cluster: kafka.Cluster{Brokers: fake.ListenAddrs(), SASL: auth}, Topic: "in", Group: "g"}
			if len(c.acls) > 2 {
				set.Transactions = &kafka.Transactions{Outputs: "out"}
			}
			err = firstFetch(ctx, set)
			if err == nil || ctx.Err() != nil {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
		})
	}
}

// firstFetch goes as far as the first fetch.
func firstFetch(ctx context.Context, set kafka.SourceSettings) error {
	source, err := kafka.NewSource(ctx, set)
	if err != nil {
		return err
	}
	g, err := source.Next(ctx)
	if err == nil {
		_, err = g.Fetch(ctx, stream.TopicPartition{Topic: set.Topic})
	}
	return errors.Join(err, source.Close())
}

// TestRightToWrite: a sink whose topic may be seen and not written says so when it is
// opened, as does the check before; both write nothing.
func TestRightToWrite(t *testing.T) {
	acl := func(op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: "out", Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.SeedTopics(1, "out"), kfake.Superuser("PLAIN", "root", "root"),
		kfake.User("PLAIN", "reader", "secret", acl(kmsg.ACLOperationDescribe), acl(kmsg.ACLOperationRead)),
		kfake.User("PLAIN", "writer", "secret", acl(kmsg.ACLOperationDescribe), acl(kmsg.ACLOperationWrite)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	for user, allowed := range map[string]bool{"reader": false, "writer": true} {
		auth, err := kafka.Authenticate("plain", user, "secret")
		if err != nil {
			t.Fatal(err)
		}
		c := kafka.Cluster{Brokers: fake.ListenAddrs(), SASL: auth}
		begin := time.Now()
		sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: c, Topic: "out"})
		if err == nil {
			err = sink.Close()
		}
		for what, err := range map[string]error{"opening": err, "checking": kafka.CheckWritable(t.Context(), c, "out")} {
			if allowed && err != nil || !allowed && (err == nil || !strings.Contains(err.Error(), "topic out") || !strings.Contains(err.Error(), "Write")) {
				t.Errorf("%s as %s: %v", what, user, err)
			}
		}
		if err := kafka.Check(t.Context(), c, "out"); err != nil {
			t.Errorf("as %s: %v", user, err)
		}
		if err := kafka.CheckWritable(t.Context(), c, "absent"); err == nil || !strings.Contains(err.Error(), "absent") {
			t.Errorf("as %s, of a topic that is not there: %v", user, err)
		}
		if d := time.Since(begin); d > 10*time.Second+slack {
			t.Errorf("as %s it took %v", user, d)
		}
	}
}

// TestRightToJoin: a group that one may see and not join, and names of producers that
// one has no right to, are told before anything joins.
func TestRightToJoin(t *testing.T) {
	acl := func(resource kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	const group, id = kmsg.ACLResourceTypeGroup, kmsg.ACLResourceTypeTransactionalId
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.SeedTopics(1, "in"), kfake.Superuser("PLAIN", "root", "root"),
		kfake.User("PLAIN", "visitor", "secret", acl(group, "g", kmsg.ACLOperationDescribe)),
		kfake.User("PLAIN", "member", "secret", acl(group, "g", kmsg.ACLOperationRead)),
		kfake.User("PLAIN", "producer", "secret", acl(group, "g", kmsg.ACLOperationRead), acl(id, "unfold-g-in-0", kmsg.ACLOperationDescribe)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	for user, want := range map[string][2]string{"visitor": {"group g", "group g"}, "member": {"", "unfold-g-in-0"}, "producer": {"", ""}, "root": {"", ""}} {
		password := "secret"
		if user == "root" {
			password = "root"
		}
		auth, err := kafka.Authenticate("plain", user, password)
		if err != nil {
			t.Fatal(err)
		}
		for i, transactions := range []bool{false, true} {
			err := kafka.CheckGroup(t.Context(), kafka.Cluster{Brokers: fake.ListenAddrs(), SASL: auth}, "in", "g", transactions)
			if want[i] == "" && err != nil || want[i] != "" && (err == nil || !strings.Contains(err.Error(), want[i]) || !strings.Contains(err.Error(), "uthoriz")) {
				t.Errorf("%s, transactions %v: %v", user, transactions, err)
			}
		}
	}
}
