package kafka

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go/sasl"
)

// The request that Amazon's MSK takes as proof, for known credentials and a known time. Its
// signature was computed by hand (SigV4 over action, service kafka-cluster and host).
func TestMSKSignature(t *testing.T) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "AWS_SESSION_TOKEN": "",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	m, err := AuthenticateMSK(t.Context(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	m.(*msk).SignTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ctx := sasl.WithMetadata(t.Context(), &sasl.Metadata{Host: "b-1.test.kafka.us-east-1.amazonaws.com", Port: 9098})
	_, message, err := m.Start(ctx)
	if err != nil || m.Name() != "AWS_MSK_IAM" {
		t.Fatal(m.Name(), err)
	}
	var got map[string]string
	if err := json.Unmarshal(message, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"version": "2020_10_22", "host": "b-1.test.kafka.us-east-1.amazonaws.com", "action": "kafka-cluster:Connect",
		"x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": "AKIDEXAMPLE/20260102/us-east-1/kafka-cluster/aws4_request",
		"x-amz-date": "20260102T030405Z", "x-amz-signedheaders": "host", "x-amz-expires": "300",
		"x-amz-signature": "af329ad53380a39ce9597145a61a70919e9fd23a2b878eb185fbe073ab983da4",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if strings.Contains(string(message), "wJalr") {
		t.Error("the message holds the secret")
	}

	if _, err := AuthenticateMSK(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	if m, err = AuthenticateMSK(t.Context(), "us-east-1"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Start(ctx); err == nil || kindOf(err) != passing || !strings.Contains(err.Error(), "credentials of AWS") {
		t.Errorf("without credentials: %v", err)
	}
}
