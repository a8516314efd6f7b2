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

// The verbs. A program that starts jobs must first pass its arguments to Main.
const (
	stageVerb = "relay-stage"
	copyVerb  = "relay-copy"
)

// Job is the work of a process until it is interrupted.
type Job struct {
	// Addr is the broker's address. Messages are read from topic In with Partitions partitions,
	// with the offsets of Group, and written to Out.
	Addr, In, Out, Group string
	Partitions           int
	// Bare copies messages unchanged. The other fields are those of a stage.
	Bare bool
	// ID and Vector are the columns of a message. Registry is the address of the schema registry,
	// "" for formats without one.
	ID, Vector, Registry string
	// State is a learner's folder with a map of Points points, used by this stage only. An Embedder
	// only reads the map, like a process of a fleet that does not learn.
	State    string
	Points   int
	Embedder bool
	// Exactly delivers exactly once. FreePlacing places every event at the origin at no cost.
	Exactly, FreePlacing bool
	// Profile, if not "", is a file for a profile of the processor time.
	Profile string
	Threads int // 0: one a core
}

// Start starts the job in a separate process with additional environment variables.
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

// Main runs the job in the arguments until it is interrupted and returns the exit code. ok is false
// if they contain no job.
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

// placer is the interface of learners and embedders.
type placer interface {
	stream.Decoder
	stream.Learner
}

// placer makes the learner or the embedder of the job's stage.
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
	if set.Decoder, err = format.NewDecoder(format.Decoding{ID: j.ID, Spec: wanted, Registry: schemas}); err != nil {
		return nil, err
	}
	if set.Writer, err = format.NewEncoder(format.Encoding{Registry: schemas, Topic: j.Out}); err != nil {
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

// stage runs the parts of `unfold run`.
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

// openFree opens a map with a placer that costs nothing.
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
