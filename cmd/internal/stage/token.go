package stage

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"unfold/cmd/internal/config"
	"unfold/internal/regular"
	"unfold/stream/kafka"
)

const (
	// commandTime bounds the run of a token command.
	commandTime = 5 * time.Second
	// mostSaid is the most bytes of a command's standard error in an error.
	mostSaid = 500
)

// tokens returns the source of OAUTHBEARER access tokens.
func tokens(s config.SASL) kafka.TokenFunc {
	if s.TokenFile != "" {
		return func(context.Context) (string, error) { return tokenOfFile(s.TokenFile, time.Now()) }
	}
	c := &tokenCommand{command: s.TokenCommand, now: time.Now, limit: commandTime}
	return c.token
}

// tokenOfFile reads a token. It returns an error for an expired one, because its writer is late
// then.
func tokenOfFile(file string, now time.Time) (string, error) {
	text, err := regular.ReadSmall(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s is empty", file)
	}
	if end, ok := expiry(token); ok && !now.Before(end) {
		return "", fmt.Errorf("the token in %s expired at %s", file, end.UTC().Format(time.RFC3339))
	}
	return token, nil
}

// tokenCommand runs a command for tokens. Connections that start at the same time share a run.
type tokenCommand struct {
	command string
	now     func() time.Time
	// limit bounds the run of the command.
	limit time.Duration

	mu   sync.Mutex
	last string
	// until is the time at which the last token is replaced: after nine tenths of its remaining
	// time.
	until time.Time
}

func (c *tokenCommand) token(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Before(c.until) {
		return c.last, nil
	}
	token, err := c.run(ctx)
	if err != nil {
		return "", err
	}
	c.last, c.until = "", time.Time{}
	if end, ok := expiry(token); ok {
		left := end.Sub(now)
		if left <= 0 {
			return "", fmt.Errorf("sasl.token_command printed a token that expired at %s", end.UTC().Format(time.RFC3339))
		}
		c.last, c.until = token, now.Add(left*9/10)
	}
	return token, nil
}

// run runs the command. Its standard output is secret, its standard error is not.
func (c *tokenCommand) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	var printed, complaint bytes.Buffer
	command := exec.CommandContext(ctx, "sh", "-c", c.command)
	command.Stdout, command.Stderr = &printed, &complaint
	endGroup(command)
	command.WaitDelay = time.Second // for children that the command leaves behind
	err := command.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it took more than %v", c.limit)
	}
	token := strings.TrimSpace(printed.String())
	if err == nil && token == "" {
		err = errors.New("it printed nothing")
	}
	if err == nil {
		return token, nil
	}
	said := strings.TrimSpace(complaint.String())
	if len(said) > mostSaid {
		said = said[:mostSaid] + "..."
	}
	if said != "" {
		return "", fmt.Errorf("sasl.token_command: %w: %s", err, said)
	}
	return "", fmt.Errorf("sasl.token_command: %w", err)
}

// expiry returns the expiry time of a token. ok is false unless it is a JSON web token with such a
// time.
func expiry(token string) (time.Time, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Exp float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil || !(claims.Exp > 0 && claims.Exp < 1e11) {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(claims.Exp * 1000)), true
}
