package stage

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"

	"unfold/cmd/internal/config"
	"unfold/internal/regular"
	"unfold/stream/kafka"
)

// Environment looks up a variable.
type Environment = config.Lookup

// cluster returns the connection settings of brokers. It reads certificates and passwords at the
// start and stores them nowhere else.
func cluster(brokers []string, s config.Security, env Environment) (c kafka.Cluster, err error) {
	c.Brokers = brokers
	if s.TLS.On() {
		if c.TLS, err = tlsConfig(s.TLS); err != nil {
			return c, err
		}
	}
	c.SASL, err = mechanism(s.SASL, env)
	return c, err
}

// named is cluster with the client's id and rack.
func named(c *config.Config, brokers []string, s config.Security, env Environment) (kafka.Cluster, error) {
	k, err := cluster(brokers, s, env)
	k.ClientID, k.Rack = c.Source.Kafka.ClientID, c.Source.Kafka.Rack
	return k, err
}

// mechanism returns the authentication mechanism, nil for none.
func mechanism(s config.SASL, env Environment) (kafka.Mechanism, error) {
	switch s.Mechanism {
	case "", "none":
		return nil, nil
	case "aws-msk-iam":
		return kafka.AuthenticateMSK(context.Background(), s.Region)
	case "oauthbearer":
		extensions, err := s.ExtensionMap()
		if err != nil {
			return nil, err
		}
		return kafka.AuthenticateOAuth(tokens(s), extensions)
	}
	password, err := passwordOf(s, env)
	if err != nil {
		return nil, err
	}
	return kafka.Authenticate(s.Mechanism, s.User, password)
}

func passwordOf(s config.SASL, env Environment) (string, error) {
	if s.PasswordEnv != "" {
		v, ok := env(s.PasswordEnv)
		if !ok || v == "" {
			return "", fmt.Errorf("the environment has no %s, which should hold the password of %s", s.PasswordEnv, s.User)
		}
		return v, nil
	}
	text, err := regular.ReadSmall(s.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the password of %s: %w", s.User, err)
	}
	v := strings.TrimRight(string(text), "\r\n")
	if v == "" {
		return "", fmt.Errorf("the password of %s: %s is empty", s.User, s.PasswordFile)
	}
	return v, nil
}

func tlsConfig(t config.TLS) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		text, err := regular.ReadSmall(t.CA)
		if err != nil {
			return nil, fmt.Errorf("certificates to check brokers with: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificates to check brokers with: %s holds none (PEM is expected)", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := keyPair(t)
		if err != nil {
			return nil, fmt.Errorf("this client's certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// keyPair reads the client's certificate.
func keyPair(t config.TLS) (pair tls.Certificate, err error) {
	cert, err := regular.ReadSmall(t.Cert)
	if err != nil {
		return pair, err
	}
	key, err := regular.ReadSmall(t.Key)
	if err != nil {
		return pair, err
	}
	return tls.X509KeyPair(cert, key)
}

// SourceCluster returns the cluster of the source.
func SourceCluster(c *config.Config, env Environment) (kafka.Cluster, error) {
	return named(c, c.Source.Kafka.Brokers, c.Source.Kafka.Security, env)
}

// SinkCluster returns the cluster of the output: the source's unless other brokers are configured.
func SinkCluster(c *config.Config, env Environment) (kafka.Cluster, error) {
	if len(c.Sink.Kafka.Brokers) == 0 {
		return SourceCluster(c, env)
	}
	return named(c, c.Sink.Kafka.Brokers, c.Sink.Kafka.Security, env)
}
