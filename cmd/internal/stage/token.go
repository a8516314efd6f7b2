package stage

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"unfold/cmd/internal/config"
	"unfold/stream/kafka"
)

const (
	// commandTime is how long a command may take to print a token.
	commandTime = 5 * time.Second
	// mostSaid is how much of a command's complaint is passed on.
	mostSaid = 500
)

// tokens is where the access tokens of OAUTHBEARER come from.
func tokens(s config.SASL) kafka.TokenFunc {
	if s.TokenFile != "" {
		return func(context.Context) (string, error) { return tokenOfFile(s.TokenFile, time.Now()) }
	}
	c := &tokenCommand{command: s.TokenCommand, now: time.Now, limit: commandTime}
	return c.token
}

// tokenOfFile reads a token, and does not use one that has expired: whoever writes the
// file is late.
func tokenOfFile(file string, now time.Time) (string, error) {
	text, err := os.ReadFile(file)
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

// tokenCommand runs a command for tokens. Connections that begin at once share a run.
type tokenCommand struct {
	command string
	now     func() time.Time
	// limit is how long it may take.
	limit time.Duration

	mu   sync.Mutex
	last string
	// until is when the last one is to be replaced: when nine tenths of the time are over
	// that it had left.
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

// run runs the command. What it prints is a secret; what it complains of is not.
func (c *tokenCommand) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	var printed, complaint bytes.Buffer
	command := exec.CommandContext(ctx, "sh", "-c", c.command)
	command.Stdout, command.Stderr = &printed, &complaint
	endGroup(command)
	command.WaitDelay = time.Second // for what it has started and left behind
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

// expiry is when a token expires, if it is a JSON web token that says so.
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
