package address

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"https://ann:SECRET@host/a.csv?sig=SECRET&x=SECRET":         "https://***@host/a.csv?sig=***&x=***",
		"s3://SECRET@bucket/key":                                    "s3://***@bucket/key",
		"s3://b/k?endpoint=http://u:SECRET@minio:9000":              "s3://b/k?endpoint=***",
		"https://u:SEC/RET@host/path":                               "https://***@host/path",
		"https://u:S?CRET#@host/path?q=SECRET":                      "https://***@host/path?q=***",
		"https://u:SECR%40ET@[::1]:80/x":                            "https://***@[::1]:80/x",
		"https://[::1]:80/x@y":                                      "https://[::1]:80/x@y",
		"https://host:8080/a@b":                                     "https://host:8080/a@b",
		"https://host/#token=SECRET":                                "https://host/#token=***",
		"https://host/#top":                                         "https://host/#top",
		"https://host/x?SECRET":                                     "https://host/x?***",
		"https://host/x?a=&b=SECRET":                                "https://host/x?a=&b=***",
		"file:///folder?create=true":                                "file:///folder?create=true",
		`Get "https://host/x?sig=SECRET": refused`:                  `Get "https://host/x?sig=***": refused`,
		"https://host/x?sig=SECRET: the server answers":             "https://host/x?sig=***: the server answers",
		"two: HTTPS://u:SECRET@a/, http://u:SECRET@b?c=SECRET; end": "two: HTTPS://***@a/, http://***@b?c=***; end",
		"open https:/u:SECRET@h/x: no such file":                    "open https:/***@h/x: no such file",
		"no address: ann:word@host ?a=b":                            "no address: ann:word@host ?a=b",
		`brokers: "ann:SECRET@127.0.0.1:9092": not HOST:PORT`:       `brokers: "***@127.0.0.1:9092": not HOST:PORT`,
		"ann:SEC/RET@[::1]:9092":                                    "***@[::1]:9092",
		"k1:9092,ann:SECRET@k2:9092,k3:9092":                        "***@k2:9092,k3:9092",
		"at 12:30 mail ann@host:25, user@host":                      "at 12:30 mail ann@host:25, user@host",
		"redirected to 'https://h/?t=SECRET'":                       "redirected to 'https://h/?t=***'",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%s\n gives %s\n  want %s", text, got, want)
		}
	}
}

// No way of printing an address shows its secrets.
func TestAddressIsPrintedWithoutSecrets(t *testing.T) {
	a := Address("https://ann:SECRET@host/a?sig=SECRET")
	raw, err := json.Marshal(map[string]any{"a": a})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(a), fmt.Sprintf("%s %q %v %+v %#v", a, a, a, a, struct{ A Address }{a}), string(raw), fmt.Errorf("%w: %s", fmt.Errorf("x"), a).Error()} {
		if strings.Contains(text, "SECRET") || !strings.Contains(text, "host/a") {
			t.Error(text)
		}
	}
	if a.Raw() != "https://ann:SECRET@host/a?sig=SECRET" {
		t.Error(a.Raw())
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("u", "word", "q")
	f.Fuzz(func(t *testing.T, user, password, value string) {
		for _, s := range []string{user, password, value} {
			if strings.ContainsAny(s, " \t\r\n\v\f\"<>`@?#&;/=:\\'.,!)]}*") || strings.TrimSpace(s) != s || s == "" {
				return
			}
		}
		if got := Redact("x https://" + user + ":" + password + "@host/p?q=" + value + " y"); got != "x https://***@host/p?q=*** y" {
			t.Errorf("%q", got)
		}
	})
}
