package stage

import (
	"context"
	"fmt"
	"net/http"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/serve"
	"unfold/cmd/internal/web"
)

// answer starts the HTTP servers: on the http address, and on the probe address if there is one.
func (st *Stage) answer(ctx context.Context, s Settings, figures http.Handler, f formats) error {
	c := s.Config
	to, err := access(c)
	if err != nil {
		return err
	}
	if c.Probe != "" {
		pages := web.Handler(st.Ready, figures)
		if st.probe, err = web.Listen(ctx, web.Settings{Address: c.Probe, Access: web.Access{Hosts: c.HTTPHosts}, Log: s.Log}, pages); err != nil {
			return fmt.Errorf("probe: %w", err)
		}
		st.closers = append(st.closers, st.probe.Close)
	}
	if c.HTTP == "" || c.HTTP == "off" {
		return nil
	}
	pages := web.Handler(st.Ready, figures, placePaths(c)...)
	asking := serve.Settings{Current: st.asked(c.Model.Kind, f.in.Spec.Types)}
	places := serve.New(asking)
	if c.HTTPPlace {
		pages = places.Beside(pages)
	}
	if c.HTTPPprof {
		pages = web.WithProfiles(pages)
	}
	if st.display != nil {
		asking.Vector = st.display.vector
		page, err := st.viewer(serve.New(asking), asking.Current)
		if err != nil {
			return err
		}
		pages = page.Over(pages)
	}
	if st.server, err = web.Listen(ctx, web.Settings{Address: c.HTTP, Access: to, Log: s.Log}, pages); err != nil {
		return err
	}
	st.closers = append(st.closers, st.server.Close)
	return nil
}

// access returns the access rules of the http address.
func access(c *config.Config) (web.Access, error) {
	token, err := web.ReadToken(c.Page.TokenFile)
	if err != nil {
		return web.Access{}, fmt.Errorf("page.token_file: %w", err)
	}
	return web.Access{Token: token, Public: c.Page.Public, Hosts: c.HTTPHosts}, nil
}

// Address returns the HTTP address of the stage, or "".
func (st *Stage) Address() string { return addressOf(st.server) }

// Probe returns the address for probes alone, or "".
func (st *Stage) Probe() string { return addressOf(st.probe) }

func addressOf(s *web.Server) string {
	if s == nil {
		return ""
	}
	return s.Address()
}
