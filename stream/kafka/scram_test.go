package kafka

import (
	"context"
	"strings"
	"testing"
)

// The example of RFC 7677, section 3.
func TestScramExample(t *testing.T) {
	ctx := context.Background()
	m, err := Authenticate("scram-sha-256", "user", "pencil")
	if err != nil {
		t.Fatal(err)
	}
	machine, _, err := m.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := machine.(*scramExchange)
	c.nonce = "rOprNGfwEbeRWgbNEkqO"
	done, answer, err := c.Next(ctx, []byte("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"))
	const want = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
	if err != nil || done || string(answer) != want {
		t.Fatalf("answer %s, %v", answer, err)
	}
	again := *c
	if done, _, err := again.Next(ctx, []byte("v=AAAAbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")); done || err == nil {
		t.Error("a broker that does not know the password is believed")
	}
	if done, _, err := c.Next(ctx, []byte("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")); !done || err != nil {
		t.Errorf("done %v, %v", done, err)
	}
}

func TestScramRefusesBadChallenges(t *testing.T) {
	for _, challenge := range []string{"", "e=unknown-user", "r=other,s=W22Z,i=4096", "r=NONCE,s=W22Z,i=4096", "r=NONCEx,s=,i=4096",
		"r=NONCEx,s=W22Z,i=0", "r=NONCEx,s=W22Z,i=999999999", "r=NONCEx,s=!,i=1"} {
		m, err := Authenticate("scram-sha-512", "user", "pencil")
		if err != nil {
			t.Fatal(err)
		}
		machine, first, err := m.Start(context.Background())
		if err != nil || !strings.HasPrefix(string(first), "n,,n=user,r=") {
			t.Fatalf("%s, %v", first, err)
		}
		c := machine.(*scramExchange)
		c.nonce = "NONCE"
		if _, answer, err := c.Next(context.Background(), []byte(challenge)); err == nil {
			t.Errorf("%q is answered with %s", challenge, answer)
		}
	}
}
