package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/logs"
	"unfold/cmd/internal/serve"
	"unfold/cmd/internal/web"
	"unfold/ingest/record"
	"unfold/stream/embed"
)

type serveCmd struct {
	Model  string `arg:"" help:"The model, as fit writes it, or map.unfold of a stage's state."`
	Listen string `default:"127.0.0.1:8090" placeholder:"HOST:PORT|unix:PATH" help:"Where to answer over HTTP: an address, or a socket in the file system, which this user alone can connect to. Default 127.0.0.1:8090."`
	accessFlags
	Stdio bool `help:"Answer on standard input and output instead, in frames: see docs/formats.md, \"Requests on a pipe\"."`
	limitFlags
	memoryFlag
	Neighbors int           `placeholder:"N" help:"With --stdio: how many of the nearest points to name of each row."`
	Reasons   int           `placeholder:"N" help:"With --stdio: number of columns that explain each row's novelty."`
	Reload    time.Duration `rare:"" default:"1s" placeholder:"TIME" help:"How often to see whether the model's file has changed, and to take the new one; 0s: never. Default 1s."`
	settingFlags
}

// limitFlags bound the resources of requests.
type limitFlags struct {
	MaxBody     config.Size   `rare:"" group:"limits" default:"8MiB" placeholder:"SIZE" help:"Most bytes of a request. Default 8MiB."`
	MaxRows     int64         `rare:"" group:"limits" default:"65536" placeholder:"N" help:"Most rows of a request. Default 65536."`
	MaxMemory   config.Size   `rare:"" group:"limits" default:"64MiB" placeholder:"SIZE" help:"Most memory that decoding a request may take. Default 64MiB."`
	MaxTime     time.Duration `rare:"" group:"limits" default:"10s" placeholder:"TIME" help:"Most time that a request may wait and take. Default 10s."`
	MaxRequests int           `rare:"" group:"limits" placeholder:"N" help:"Requests that are handled at a time. Default: the number of processors."`
}

// limits returns the limits set by the flags.
func (f limitFlags) limits() (serve.Limits, error) {
	if f.MaxBody < 1 || f.MaxRows < 1 || f.MaxMemory < 1 || f.MaxTime <= 0 || f.MaxRequests < 0 {
		return serve.Limits{}, usagef("--max-body, --max-rows, --max-memory, --max-time and --max-requests have to be positive")
	}
	return serve.Limits{Body: int64(f.MaxBody), Rows: f.MaxRows, Memory: int64(f.MaxMemory), Time: f.MaxTime, Requests: f.MaxRequests}, nil
}

func (serveCmd) Help() string {
	return `Places rows on a map that was learnt, for whoever asks: over HTTP, or on a pipe. The same row gets the same place as by embed.

    unfold serve data.unfold
    curl -H 'Content-Type: application/json' -d '{"vectors": [[0.1, 0.2]]}' http://127.0.0.1:8090/place

POST /place takes records in JSON, {"vectors": [[...], ...]}, or an Arrow stream, and answers in what it was asked in, or in what
Accept names. ?neighbors=N names the nearest points of each row as well, ?reasons=N the columns that make it novel. POST /decode
takes {"places": [[x, y], ...]} and predicts the vectors there. GET /model says what the model is, GET /openapi.json
describes it all; /livez and /readyz are for who watches over it. An address that others than this machine reach takes a token
(--token-file) or --public. A model that takes the file's place is taken over without a pause.

A stage answers the same on its own address with http_place: true.`
}

// grace is longer than graceTime by the time limit of requests in progress.
func (c *serveCmd) grace() time.Duration { return graceTime + max(c.MaxTime, 0) }

func (c *serveCmd) Run(ctx context.Context, p *program) error {
	limits, err := c.limits()
	if err != nil {
		return err
	}
	if c.Neighbors < 0 || c.Neighbors > 0 && !c.Stdio {
		return usagef("--neighbors goes with --stdio; over HTTP each request says how many: /place?neighbors=%d", max(c.Neighbors, 1))
	}
	explain, err := explainFlags(c.Reasons, 0)
	if err != nil || c.Reasons > 0 && !c.Stdio {
		return usagef("--reasons goes with --stdio; over HTTP each request says how many: /place?reasons=%d", max(c.Reasons, 1))
	}
	to := web.Access{}
	if !c.Stdio {
		if to, err = opening(ctx, func() (web.Access, error) { return c.access(c.Listen) }); err != nil {
			return err
		}
	}
	settings, err := p.settingsOf(c.values, serveKeys)
	if err != nil {
		return err
	}
	log, err := logs.New(p.Stderr, logs.Settings{})
	if err != nil {
		return err
	}
	types, err := record.ParseTypes(settings.Source.Types)
	if err != nil {
		return usagef("--types: %w", err)
	}
	s := &served{path: c.Model, settings: settings, types: types, log: log}
	if _, err := opening(ctx, func() (*served, error) { return s, s.load(ctx) }); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(ctx, c.Reload)
	}()
	defer func() {
		stop()
		<-watched
	}()
	if c.Stdio {
		x := &serve.Exchange{Current: s.now, Placer: &serve.Placer{Limits: limits}, Options: serve.Options{Neighbors: c.Neighbors, Explain: explain}}
		return x.Frames(ctx, p.Stdin, p.Stdout)
	}
	pages := web.Handler(func() (string, error) { return "", nil }, nil, serve.Paths...)
	server, err := web.Listen(ctx, web.Settings{Address: c.Listen, Access: to, Body: limits.Body, Log: log}, serve.New(serve.Settings{Current: s.now, Limits: limits}).Beside(pages))
	if err != nil {
		return err
	}
	logs.Say(log, slog.LevelInfo, logs.Serving, "answering on "+server.URL()+" (/place /decode /model /openapi.json /livez /readyz)", slog.String(logs.Address, server.Address()))
	ended, err := c.probes(ctx, log)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	<-ctx.Done()
	return errors.Join(server.Stop(c.MaxTime), ended())
}

// served is a model file in use by the server.
type served struct {
	path     string
	settings *config.Config
	types    map[string]record.Type
	log      *slog.Logger
	// seen describes the file that was read last.
	seen    fs.FileInfo
	current atomic.Pointer[serve.Model]
}

// now returns the current model.
func (s *served) now() (*serve.Model, error) { return s.current.Load(), nil }

// load reads the model file and makes it current.
func (s *served) load(ctx context.Context) error {
	// Stat first, so that a file that replaces this one during the read counts as changed.
	info, err := os.Stat(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.seen = info
	e, err := newEmbedder(ctx, s.path, "", s.settings, embed.Explain{})
	if err != nil {
		return err
	}
	s.current.Store(serve.NewModel(e.maps, e.kind, e.points, s.types))
	return nil
}

// watch reloads the model file when it is replaced, until the context is done.
func (s *served) watch(ctx context.Context, every time.Duration) {
	if every <= 0 {
		return
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		info, err := os.Stat(s.path)
		if err != nil || s.seen != nil && os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size() {
			continue // a missing file usually is being replaced
		}
		if err := s.load(ctx); err != nil {
			logs.Say(s.log, slog.LevelWarn, logs.MapRefused, fmt.Sprintf("the new model is not used, the one before stays: %v", err), slog.String(logs.Error, err.Error()))
			continue
		}
		d := s.current.Load().Description()
		logs.Say(s.log, slog.LevelInfo, logs.MapPublished, "the model's file has changed; requests are placed on it now",
			slog.String(logs.MapID, d.MapID), slog.Uint64(logs.Version, d.Version), slog.Uint64(logs.Epoch, uint64(d.Epoch)))
	}
}
