package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"
)

// Latest returns the newest schema of a subject, without its references; nil if there is none.
// Temporary errors match *stream.UnavailableError.
func (c *Client) Latest(ctx context.Context, subject string) (*Schema, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	a, err := c.one(ctx, "the newest schema of "+subject, "/subjects/"+url.PathEscape(subject)+"/versions/latest")
	var unknown *UnknownError
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Schema{Type: a.Type, Text: *a.Schema}, nil
}

// Compatible asks whether a schema could be registered under a subject, by the subject's
// compatibility, without registering it. why is the registry's reason against it.
func (c *Client) Compatible(ctx context.Context, subject string, s *Schema) (ok bool, why string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	send := sr.Schema{Schema: s.Text}
	if err := send.Type.UnmarshalText([]byte(s.Type)); err != nil {
		return false, "", fmt.Errorf("comparing a schema with those of %s: %w", subject, err)
	}
	var got struct {
		Is       *bool    `json:"is_compatible"`
		Messages []string `json:"messages"`
	}
	path := "/compatibility/subjects/" + url.PathEscape(subject) + "/versions"
	if err := c.do(sr.WithParams(ctx, sr.Verbose), "a comparison with the schemas of "+subject, http.MethodPost, path, send, &got); err != nil {
		var unknown *UnknownError
		if errors.As(err, &unknown) {
			return true, "", nil // the subject has no schema to be compatible with
		}
		return false, "", err
	}
	return got.Is == nil || *got.Is, strings.Join(got.Messages, "; "), nil
}
