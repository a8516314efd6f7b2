package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"syscall"

	"unfold/bench/internal/served"
	"unfold/bench/internal/traffic"
	"unfold/ingest"
	"unfold/ingest/record"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/format"
	"unfold/stream/kafka"
	"unfold/stream/learn"
	"unfold/stream/registry"
)

// The verbs: a program that starts jobs hands its arguments to Main first.
const (
	stageVerb = "relay-stage"
	copyVerb  = "relay-copy"
)

// Job is what a process is to do until it is interrupted.
type Job struct {
	// Addr is the broker's address; messages go from topic In, of so many Partitions, to
	// Out, their positions are Group's.
	Addr, In, Out, Group string
	Partitions           int
	// Bare copies messages as they are; the rest is of a stage.
	Bare bool
	// ID and Vector are the columns of a message. Registry is the address of the one that has
	// the schemas, "" for formats without.
	ID, Vector, Registry string
	// State is a learner's folder, which has its map of so many Points already, and is
	// the stage's own. An Embedder only reads the map, as a process of a fleet that does
	// not learn.
	State    string
	Points   int
	Embedder bool
	// Exactly delivers exactly once. With FreePlacing placing costs nothing: every event is
	// at the origin.
	Exactly, FreePlacing bool
	// Profile is a file for a profile of its processor time, if not "".
	Profile string
	Threads int // 0: one a core
}

// Start starts the job in a process of its own, with variables besides this one's.
func (j Job) Start(variables []string) (*served.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	verb := stageVerb
	if j.Bare {
		verb = copyVerb
	}
	return served.Start(variables, self, verb, string(text))
}

// Main does the job that the arguments of a program name, until interrupted, and returns
// the exit code; ok is false when they name none.
func Main(args []string, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 || !slices.Contains([]string{stageVerb, copyVerb}, args[0]) {
		return 0, false
	}
	var j Job
	if len(args) != 2 || json.Unmarshal([]byte(args[1]), &j) != nil {
		fmt.Fprintf(stderr, "relay: %s|%s JOB\n", stageVerb, copyVerb)
		return 2, true
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if args[0] == copyVerb {
		err = traffic.Copy(ctx, j.Addr, j.In, j.Out, j.Group, j.Partitions)
	} else {
		err = j.stage(ctx)
	}
	if err != nil {
		fmt.Fprintln(stderr, "relay:", err)
		return 1, true
	}
	return 0, true
}

// placer is what both learners and embedders are.
type placer interface {
	stream.Decoder
	stream.Learner
}

// placer makes the learner or the embedder that the job's stage has.
func (j Job) placer() (placer, error) {
	set := learn.Settings{State: j.State, RefreshEvery: learn.Never, Min: j.Points, Size: j.Points, Mapping: ingest.Mapping{
		Vector: j.Vector, MaxVocabulary: ingest.DefaultVocabulary, Selection: ingest.Selection{ID: j.ID}}}
	var schemas *registry.Client
	var err error
	if j.Registry != "" {
		if schemas, err = registry.New(registry.Settings{URL: j.Registry}); err != nil {
			return nil, err
		}
	}
	wanted := record.Spec{Paths: []string{j.ID, j.Vector}, Vector: j.Vector}
	if set.Decoder, err = format.NewDecoder(format.Settings{ID: j.ID, Spec: wanted, Registry: schemas}); err != nil {
		return nil, err
	}
	if set.Writer, err = format.NewEncoder(format.Output{Registry: schemas, Topic: j.Out}); err != nil {
		return nil, err
	}
	if j.FreePlacing {
		set.Open = openFree
	} else {
		set.Place = placing.Options{Threads: j.Threads}
	}
	if !j.Embedder {
		return learn.New(set)
	}
	return embed.NewEmbedder(embed.EmbedderSettings{Embed: set.Placing(), Decoder: set.Decoder, Follow: func(_ context.Context, install func(*snapshot.Snapshot) error) error {
		s, err := snapshot.ReadFile(filepath.Join(j.State, learn.MapFile))
		if err != nil {
			return err
		}
		return install(s)
	}})
}

// stage runs what `unfold run` is made of.
func (j Job) stage(ctx context.Context) (err error) {
	p, err := j.placer()
	if err != nil {
		return err
	}
	cluster := kafka.Cluster{Brokers: []string{j.Addr}}
	from := kafka.SourceSettings{Cluster: cluster, Topic: j.In, Group: j.Group}
	if j.Exactly {
		from.Transactions = &kafka.Transactions{Outputs: j.Out}
	}
	source, err := kafka.NewSource(ctx, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	sink, err := kafka.NewSink(ctx, kafka.SinkSettings{Cluster: cluster, Topic: j.Out})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sink.Close()) }()
	if j.Profile != "" {
		f, err := os.Create(j.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return (&stream.Pipeline{Source: source, Sink: sink, Decoder: p, Learner: p, ExactlyOnce: j.Exactly}).Run(ctx)
}

// openFree opens a map whose placing costs nothing.
func openFree(s *snapshot.Snapshot) (models.Placer, error) {
	placer, err := fit.Open(s, placing.Options{})
	return nowhere{placer}, err
}

// nowhere places every event at the origin.
type nowhere struct{ models.Placer }

// Place implements models.Placer.
func (p nowhere) Place(_ context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	n := x.Rows
	return models.Placed{Mu: vec.New[float32](n, p.Dims()), Sigma: make([]float32, n), NoveltyLocal: make([]float32, n), NoveltyGlobal: make([]float32, n)}, nil
}
