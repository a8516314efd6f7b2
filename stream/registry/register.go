package registry

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"

	"github.com/twmb/franz-go/pkg/sr"

	"unfold/stream"
)

// registration is a schema under a subject.
type registration struct {
	subject string
	sum     [sha256.Size]byte
}

// Register returns the id of a schema under a subject, and registers it if it is not
// there: whoever may only read needs it registered beforehand. An error that may go away
// matches *stream.UnavailableError; that the registry does not take the schema, a
// *RefusedError.
func (c *Client) Register(ctx context.Context, subject string, s *Schema) (id int, err error) {
	send := sr.Schema{Schema: s.Text}
	if err := send.Type.UnmarshalText([]byte(s.Type)); err != nil {
		return 0, fmt.Errorf("registering a schema under %s: %w", subject, err)
	}
	for _, r := range s.References {
		send.References = append(send.References, sr.SchemaReference{Name: r.Name, Subject: r.Subject, Version: r.Version})
	}
	text, err := json.Marshal(send)
	if err != nil {
		return 0, err
	}
	return c.written.get(ctx, registration{subject, sha256.Sum256(text)}, func(ctx context.Context) (int, error) {
		return c.register(ctx, subject, send)
	})
}

func (c *Client) register(ctx context.Context, subject string, send sr.Schema) (int, error) {
	path, what := "/subjects/"+url.PathEscape(subject), "a schema under "+subject
	var got struct {
		ID int `json:"id"`
	}
	err := c.do(ctx, what, http.MethodPost, path, send, &got)
	var unknown *UnknownError
	if errors.As(err, &unknown) {
		err = c.do(ctx, what, http.MethodPost, path+"/versions", send, &got)
	}
	if err != nil {
		return 0, err
	}
	if got.ID <= 0 || got.ID > math.MaxInt32 {
		return 0, &stream.UnavailableError{Err: fmt.Errorf("the schema registry %s answers without an id for %s: is its URL right, up to the path?", c.servers[0].address, what)}
	}
	return got.ID, nil
}
