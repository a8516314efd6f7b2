package kafka

import (
	"context"
	"testing"

	"github.com/segmentio/kafka-go/sasl"
)

// beginScram starts an exchange with a nonce.
func beginScram(t *testing.T, mechanism, nonce string) (c sasl.StateMachine, first string) {
	t.Helper()
	m, err := Authenticate(mechanism, "user", "pencil")
	if err != nil {
		t.Fatal(err)
	}
	s := m.(scram)
	s.nonce = func() string { return nonce }
	c, raw, err := s.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c, string(raw)
}

// The example of RFC 7677, section 3.
func TestScramExample(t *testing.T) {
	ctx := context.Background()
	for final, known := range map[string]bool{
		"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=":  true,
		"v=AAAAbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=": false,
		"v=": false, "": false, "e=other-error": false,
	} {
		c, first := beginScram(t, "scram-sha-256", "rOprNGfwEbeRWgbNEkqO")
		if first != "n,,n=user,r=rOprNGfwEbeRWgbNEkqO" {
			t.Fatalf("first message %s", first)
		}
		done, answer, err := c.Next(ctx, []byte("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"))
		const want = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
		if err != nil || done || string(answer) != want {
			t.Fatalf("answer %s, %v", answer, err)
		}
		if done, _, err := c.Next(ctx, []byte(final)); done != known || (err == nil) != known {
			t.Errorf("a broker that ends with %q: done %v, %v", final, done, err)
		}
	}
}

// Text is used unchanged, as brokers store it, even where SASLprep would change it.
func TestScramTakesTextAsItIs(t *testing.T) {
	proof := func(password string) string {
		s := scram{credentials{"user", func() string { return password }}, scramHashes["scram-sha-256"], "SCRAM-SHA-256", func() string { return "N" }}
		c, _, err := s.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, answer, err := c.Next(t.Context(), []byte("r=Nx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"))
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	if proof("\u2168") == proof("IX") {
		t.Error("the numeral nine is taken for two letters")
	}
}

func TestScramRefusesBadChallenges(t *testing.T) {
	for _, challenge := range []string{"", "e=unknown-user", "r=other,s=W22Z,i=4096", "r=NONCE,s=W22Z,i=4096", "r=NONCEx,s=,i=4096",
		"r=NONCEx,s=W22Z,i=0", "r=NONCEx,s=W22Z,i=999999999", "r=NONCEx,s=!,i=1"} {
		c, first := beginScram(t, "scram-sha-512", "NONCE")
		if first != "n,,n=user,r=NONCE" {
			t.Fatal(first)
		}
		if _, answer, err := c.Next(context.Background(), []byte(challenge)); err == nil {
			t.Errorf("%q is answered with %s", challenge, answer)
		}
	}
}
