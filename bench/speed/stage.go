package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"

	"unfold/bench/internal/traffic"
	"unfold/ingest"
	"unfold/models"
	"unfold/models/kinds"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/online"
)

// stageVerb makes this program a stage, copyVerb a bare copy: processes that are
// measured beside `unfold run`. Both take a job as JSON and run until interrupted.
const (
	stageVerb = "stage"
	copyVerb  = "copy"
)

// job is what such a process is to do.
type job struct {
	Addr, In, Out, Group string
	Partitions           int
	// Of a stage: its state, whether it delivers exactly once, whether it places
	// nothing (every event is at the origin, at no cost), and a file for its profile.
	State   string
	Points  int // of its map
	Exactly bool
	Stubbed bool
	Profile string
	Threads int
}

// runJob runs what the verb says.
func runJob(args []string, stderr io.Writer) int {
	var j job
	if len(args) != 2 || json.Unmarshal([]byte(args[1]), &j) != nil {
		fmt.Fprintf(stderr, "speed: %s|%s JOB\n", stageVerb, copyVerb)
		return 2
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
		fmt.Fprintln(stderr, "speed:", err)
		return 1
	}
	return 0
}

// stage runs what `unfold run` is made of.
func (j job) stage(ctx context.Context) (err error) {
	set := online.Settings{State: j.State, RefreshEvery: online.Never, Min: j.Points, Size: j.Points, Mapping: ingest.Mapping{
		Vector: deliveryVector, MaxVocabulary: ingest.DefaultVocabulary, Selection: ingest.Selection{ID: deliveryID}}}
	if j.Stubbed {
		set.Open = stubbed
	} else {
		set.Place = lvm.PlaceSettings{Threads: j.Threads}
	}
	learner, err := online.New(set)
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
	p := &stream.Pipeline{Source: source, Sink: sink, Decoder: learner, Learner: learner, ExactlyOnce: j.Exactly}
	return p.Run(ctx)
}

// stubbed opens a map whose placing costs nothing.
func stubbed(s *snapshot.Snapshot) (models.Placer, error) {
	placer, err := kinds.Open(s, lvm.PlaceSettings{})
	return nowhere{placer}, err
}

// nowhere places every event at the origin.
type nowhere struct{ models.Placer }

// Place implements models.Placer.
func (p nowhere) Place(_ context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	n := x.Rows
	return models.Placed{Mu: vec.New[float32](n, p.Dims()), Sigma: make([]float32, n), NoveltyLocal: make([]float32, n), NoveltyGlobal: make([]float32, n)}, nil
}
