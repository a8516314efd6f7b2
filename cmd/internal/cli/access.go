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
	TokenFile string   `placeholder:"FILE" help:"A file with a token that all who ask have to know: /?token=TOKEN in a browser, or the header Authorization: Bearer TOKEN. /livez and /readyz need none."`
	Public    bool     `help:"Let everyone who reaches the address ask, without a token. An address that others than this machine reach takes this or --token-file."`
	Hosts     []string `rare:"" placeholder:"NAME,..." help:"Names under which to answer, beside localhost, IP addresses and the machine's own name, such as that of a proxy. With some, no other is answered, also with --token-file or --public."`
	Probe     string   `rare:"" placeholder:"HOST:PORT" help:"Address of its own for /livez and /readyz, which the address of --listen has as well: who floods that one cannot hold up probes here."`
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
