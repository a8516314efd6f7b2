package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"

	"unfold/stream"
)

// UnknownError reports that the registry has no such schema.
type UnknownError struct {
	// What is the requested schema, Registry its address, Message the response.
	What, Registry, Message string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the schema registry %s has no %s: %s", e.Registry, e.What, e.Message)
}

// RefusedError reports that the registry rejects a schema.
type RefusedError struct {
	// These are the request, the registry's address, and the response.
	What, Registry, Message string
	// Incompatible means that earlier schemas of the subject forbid it.
	Incompatible bool
}

func (e *RefusedError) Error() string {
	if e.Incompatible {
		return fmt.Sprintf("the schema registry %s refuses %s, which is not compatible with those before it: %s; "+
			"write to another subject, or set the subject's compatibility to allow it", e.Registry, e.What, e.Message)
	}
	return fmt.Sprintf("the schema registry %s refuses %s: %s", e.Registry, e.What, e.Message)
}

// do sends a request to the registry's servers in turn until one gives a final answer. what
// describes the request in errors.
func (c *Client) do(ctx context.Context, what, method, path string, send, into any) error {
	var failures []error
	for _, s := range c.servers {
		err := s.client.Do(ctx, method, path, send, into)
		if err == nil {
			return nil
		}
		final, err := s.judge(what, err)
		if final {
			return err
		}
		if failures = append(failures, err); ctx.Err() != nil {
			break
		}
	}
	return &stream.UnavailableError{Err: errors.Join(failures...)}
}

// judge describes an error, and reports whether it is permanent.
func (s server) judge(what string, err error) (final bool, _ error) {
	if errors.Is(err, errTooLarge) {
		return true, fmt.Errorf("the schema registry %s sends too much for %s", s.address, what)
	}
	var answer *sr.ResponseError
	if !errors.As(err, &answer) {
		return false, fmt.Errorf("the schema registry %s does not give %s: %w", s.address, what, err)
	}
	message := answer.Error()
	message = strings.ToValidUTF8(message[:min(len(message), 500)], "?")
	said := answer.ErrorCode != 0
	switch status := answer.StatusCode; {
	case status == http.StatusNotFound && answer.ErrorCode/100 == http.StatusNotFound:
		return true, &UnknownError{what, s.address, message}
	case status == http.StatusNotFound:
		return false, fmt.Errorf("the schema registry %s does not know %s (404): is its URL right, up to the path, and its version new enough?", s.address, what)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return false, fmt.Errorf("the schema registry %s does not let us in for %s (%d %s): check the user, the password and the permissions", s.address, what, status, message)
	case status == http.StatusConflict:
		return true, &RefusedError{what, s.address, message, true}
	case status == http.StatusUnprocessableEntity, status == http.StatusBadRequest && said:
		return true, &RefusedError{what, s.address, message, false}
	default:
		return false, fmt.Errorf("the schema registry %s fails for %s (%d): %s", s.address, what, status, message)
	}
}
