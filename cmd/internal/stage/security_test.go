package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/cmd/internal/config"
	"unfold/stream/kafka"
)

// Passwords are read from a file or a variable, and are no settings.
func TestPasswords(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "password")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) { return "s3cret", name == "PW" }
	for name, c := range map[string]struct {
		sasl config.SASL
		want string
	}{
		"file":        {config.SASL{PasswordFile: file}, ""},
		"variable":    {config.SASL{PasswordEnv: "PW"}, ""},
		"no file":     {config.SASL{PasswordFile: file + "x"}, "no such file"},
		"empty file":  {config.SASL{PasswordFile: empty}, "is empty"},
		"no variable": {config.SASL{PasswordEnv: "NOPW"}, "NOPW"},
	} {
		c.sasl.Mechanism, c.sasl.User = "scram-sha-256", "ann"
		got, err := cluster([]string{"a:1"}, config.Security{SASL: c.sasl}, env)
		if c.want == "" && (err != nil || got.SASL == nil || got.SASL.Name() != "SCRAM-SHA-256") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(fmt.Sprintf("%+v", got), "s3cret") {
			t.Errorf("%s: a print shows the password", name)
		}
	}
}

func TestTLSFiles(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("not a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tls  config.TLS
		want string
	}{
		"none":           {config.TLS{}, ""},
		"enabled":        {config.TLS{Enable: true}, ""},
		"no such file":   {config.TLS{CA: junk + "x"}, "no such file"},
		"no certificate": {config.TLS{CA: junk}, "holds none"},
		"no key pair":    {config.TLS{Cert: junk, Key: junk}, "this client's certificate"},
	} {
		got, err := cluster([]string{"a:1"}, config.Security{TLS: c.tls}, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == "" && (got.TLS != nil) != c.tls.On() {
			t.Errorf("%s: TLS %v", name, got.TLS)
		}
	}
}

// Both clusters get the client id and the rack.
func TestClustersAreNamed(t *testing.T) {
	c := config.Defaults()
	c.Source.Kafka.ClientID, c.Source.Kafka.Rack, c.Sink.Kafka.Brokers = "maps-eu", "zone-7", []string{"b:1"}
	for name, of := range map[string]func(*config.Config, Environment) (kafka.Cluster, error){"source": SourceCluster, "sink": SinkCluster} {
		if k, err := of(c, nil); err != nil || k.ClientID != "maps-eu" || k.Rack != "zone-7" {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
}
