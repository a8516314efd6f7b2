package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"unfold/cmd/internal/logs"
	"unfold/cmd/internal/web"
)

// accessFlags control the access to a listening address.
type accessFlags struct {
	TokenFile string   `placeholder:"FILE" help:"A file with a token that every request needs: /?token=TOKEN in a browser, or the header Authorization: Bearer TOKEN. /livez and /readyz need none."`
	Public    bool     `help:"Allow requests without a token. An address that other machines can reach needs this or --token-file."`
	Hosts     []string `rare:"" placeholder:"NAME,..." help:"Host names to accept, in addition to localhost, IP addresses and the machine's name, such as that of a proxy. If set, no other name is accepted, even with --token-file or --public."`
	Probe     string   `rare:"" placeholder:"HOST:PORT" help:"A second address for /livez and /readyz, so that a flood at the address of --listen cannot delay probes."`
}

// probes starts to answer health probes at their own address, if one is set. The returned function
// stops it.
func (f accessFlags) probes(ctx context.Context, log *slog.Logger) (end func() error, err error) {
	if f.Probe == "" {
		return func() error { return nil }, nil
	}
	pages := web.Handler(func() (string, error) { return "", nil }, nil)
	server, err := web.Listen(ctx, web.Settings{Address: f.Probe, Access: web.Access{Hosts: f.Hosts}, Log: log}, pages)
	if err != nil {
		return nil, fmt.Errorf("--probe: %w", err)
	}
	logs.Say(log, slog.LevelInfo, logs.Serving, "answering probes on "+server.URL()+" (/livez /readyz)", slog.String(logs.Address, server.Address()))
	return server.Close, nil
}

// access returns the access rules for a listening address.
func (f accessFlags) access(address string) (web.Access, error) {
	token, err := web.ReadToken(f.TokenFile)
	if err != nil {
		return web.Access{}, err
	}
	a := web.Access{Token: token, Public: f.Public, Hosts: f.Hosts}
	if err := a.Check(address); errors.Is(err, web.ErrExposed) {
		return a, usagef("--listen %w; add --token-file FILE, or let everyone ask with --public", err)
	}
	return a, nil
}
