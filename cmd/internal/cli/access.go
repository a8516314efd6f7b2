package cli

import (
	"errors"

	"unfold/cmd/internal/web"
)

// accessFlags say who may ask what listens.
type accessFlags struct {
	TokenFile string   `placeholder:"FILE" help:"A file with a token that all who ask have to know: /?token=TOKEN in a browser, or the header Authorization: Bearer TOKEN. /livez and /readyz need none."`
	Public    bool     `help:"Let everyone who reaches the address ask, without a token. An address that others than this machine reach takes this or --token-file."`
	Hosts     []string `rare:"" placeholder:"NAME,..." help:"Names under which to answer, beside localhost, IP addresses and the machine's own name, such as that of a proxy. With some, no other is answered, also with --token-file or --public."`
}

// access is what the flags say of an address to listen on.
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
