package registry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"

	"github.com/twmb/franz-go/pkg/sr"

	"unfold/stream"
)

// registration identifies a schema under a subject by its content, since it is looked up for every
// message.
type registration struct {
	subject    string
	kind       Type
	text       string
	references string
}

// Register returns the id of a schema under a subject, and registers it if necessary; with
// read-only access it must be registered beforehand. A temporary error matches
// *stream.UnavailableError; a rejected schema returns a *RefusedError.
func (c *Client) Register(ctx context.Context, subject string, s *Schema) (id int, err error) {
	key := registration{subject: subject, kind: s.Type, text: s.Text}
	for _, r := range s.References {
		key.references += fmt.Sprintf("%q %q %d\n", r.Name, r.Subject, r.Version)
	}
	return c.written.get(ctx, key, func(ctx context.Context) (int, error) {
		send := sr.Schema{Schema: s.Text}
		if err := send.Type.UnmarshalText([]byte(s.Type)); err != nil {
			return 0, fmt.Errorf("registering a schema under %s: %w", subject, err)
		}
		for _, r := range s.References {
			send.References = append(send.References, sr.SchemaReference{Name: r.Name, Subject: r.Subject, Version: r.Version})
		}
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
