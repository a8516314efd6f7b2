package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/aws_msk_iam_v2"
)

// AuthenticateMSK returns the IAM mechanism of Amazon MSK, for roles and users. Credentials come
// from the usual places (environment, files, the machine's role). They are renewed before they
// expire and sign one request per connection. region is the cluster's region; "" stands for that of
// the environment.
func AuthenticateMSK(ctx context.Context, region string) (sasl.Mechanism, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	var options []func(*config.LoadOptions) error
	if region != "" {
		options = append(options, config.WithRegion(region))
	}
	c, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("kafka: aws-msk-iam: %w", err)
	}
	if c.Region == "" {
		return nil, errors.New("kafka: aws-msk-iam needs the cluster's region: set sasl.region or AWS_REGION")
	}
	return &msk{aws_msk_iam_v2.NewMechanism(c)}, nil
}

// msk is kafka-go's mechanism. Its failures to get credentials are retriable.
type msk struct{ *aws_msk_iam_v2.Mechanism }

// credentialTime bounds the time to get credentials.
const credentialTime = 5 * time.Second

// Start implements sasl.Mechanism.
func (m *msk) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	limited, cancel := context.WithTimeout(ctx, credentialTime)
	defer cancel()
	if _, err := m.Credentials.Retrieve(limited); err != nil {
		return nil, nil, &tokenError{fmt.Errorf("credentials of AWS: %w", err)}
	}
	return m.Mechanism.Start(ctx)
}
