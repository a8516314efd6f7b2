package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/stage"
	"unfold/stream"
	"unfold/stream/kafka"
)

type dlqReplayCmd struct {
	configFlags
	letterFlags
	To     string `placeholder:"TOPIC" help:"Topic to write them to. Default: the one that each came from, which must be the stage's own."`
	DryRun bool   `help:"Report what would be written, and write nothing."`
}

func (dlqReplayCmd) Help() string {
	return `Writes each dead letter to the topic that it came from, with key, bytes, time and headers as they were before it was given
up. The stage then reads it once more. It goes on where the last replay stopped: the consumer group GROUP-replay holds how far
that is, and what a filter skips is not replayed later either. Batches
that could not be read at all are skipped, too: they are kept as they lay in the topic. A message that was too large for the
topic of dead letters is fetched from where it came from, and its length and checksum are compared. One that is there no more, or
that the topic does not take, is named, not written, and makes the exit code 1; the others are written. If it is interrupted some may be written twice.`
}

// replaying is the state of a run of dlqReplayCmd.
type replaying struct {
	*dlqReplayCmd
	p    *program
	from kafka.Cluster
	to   string
	sink *kafka.Sink
	// sources are open readers of source topics, from which messages are fetched again.
	sources                 map[string]*kafka.TopicReader
	written, passed, failed int
}

func (c *dlqReplayCmd) Run(ctx context.Context, p *program) error {
	s, err := c.load(p)
	if err != nil {
		return err
	}
	letters, s, err := c.letters(ctx, p, s.Config.Source.Kafka.Group+"-replay")
	if err != nil {
		return err
	}
	defer letters.Close()
	r := &replaying{dlqReplayCmd: c, p: p, to: c.To, sources: map[string]*kafka.TopicReader{}}
	if r.to == "" {
		r.to = s.Config.Source.Kafka.Topic
	}
	if r.from, err = stage.SourceCluster(s.Config, s.Env); err != nil {
		return err
	}
	if r.sink, err = kafka.NewSink(ctx, kafka.SinkSettings{Cluster: r.from, Topic: r.to, Compression: s.Config.Sink.Kafka.Compression}); err != nil {
		return err
	}
	defer r.close()
	for {
		messages, err := letters.Next(ctx)
		if errors.Is(err, io.EOF) {
			return r.report()
		}
		if err != nil {
			return err
		}
		chosen, err := r.choose(ctx, messages)
		if err != nil {
			return err
		}
		if c.DryRun {
			r.written += len(chosen)
			continue
		}
		// Offsets of a failed batch are not committed, so the next replay retries the batch.
		if err := r.write(ctx, chosen); err != nil {
			return fmt.Errorf("%w\n(the next replay begins with these)", err)
		}
		if err := letters.Commit(ctx); err != nil {
			return err
		}
	}
}

// choose returns the messages to write for the selected dead letters.
func (r *replaying) choose(ctx context.Context, letters []stream.Message) (chosen []stream.Message, err error) {
	for _, m := range letters {
		original, why, ok := stream.ReadDeadLetter(m)
		if !ok || !r.match(why) || why.Stage == stream.StageRead || r.To == "" && why.Topic != r.to {
			r.passed++
			continue
		}
		if why.Elsewhere != nil {
			found, err := r.fetch(ctx, why)
			if errors.Is(err, kafka.ErrGone) || errors.Is(err, stream.ErrUnknownTopic) || errors.Is(err, stream.ErrAnother) {
				r.failed++
				r.p.note("dead letter %s/%d, offset %d is not written: its value was too large to be kept there, and where it was: %v", m.Topic, m.Partition, m.Offset, err)
				continue
			}
			if err != nil {
				return nil, err
			}
			original = found
		}
		chosen = append(chosen, original)
	}
	return chosen, nil
}

// fetch reads a message from its source topic.
func (r *replaying) fetch(ctx context.Context, why stream.Reason) (m stream.Message, err error) {
	source := r.sources[why.Topic]
	if source == nil {
		if source, err = kafka.OpenTopic(ctx, kafka.TopicSettings{Cluster: r.from, Topic: why.Topic}); err != nil {
			return m, err
		}
		r.sources[why.Topic] = source
	}
	if m, err = source.At(ctx, why.Partition, why.Offset); err != nil {
		return m, err
	}
	return m, why.Elsewhere.Check(&m)
}

// write writes messages, except those that the topic rejects.
func (r *replaying) write(ctx context.Context, messages []stream.Message) error {
	for len(messages) > 0 {
		err := r.sink.Write(ctx, messages)
		if err == nil {
			r.written += len(messages)
			return nil
		}
		var left *stream.WriteError
		var refused *stream.RefusedError
		if !errors.As(err, &refused) || !errors.As(err, &left) {
			return err
		}
		gone := map[int]bool{}
		for _, m := range refused.Messages {
			gone[m.Index] = true
			r.failed++
			what := m.String()
			if m.Why == nil {
				what = fmt.Sprintf("as it is sent it has %d bytes, topic %s takes %d (raise its max.message.bytes, or try --sink-kafka-compression zstd)", m.Size, m.Topic, m.Limit)
			}
			r.p.note("%s is not written: %s", messages[m.Index].Where(), what)
		}
		r.written += len(messages) - len(left.Remaining)
		var rest []stream.Message
		for _, i := range left.Remaining {
			if !gone[i] {
				rest = append(rest, messages[i])
			}
		}
		messages = rest
	}
	return nil
}

func (r *replaying) report() error {
	verb := "written"
	if r.DryRun {
		verb = "would be written"
	}
	r.p.printf("%s %s to topic %s, %s skipped\n", humanize.Plural(r.written, "dead letter"), verb, r.to, humanize.Count(r.passed))
	if r.failed > 0 {
		return fmt.Errorf("%s could not be written, see above; the next replay does not come back to them", humanize.Plural(r.failed, "dead letter"))
	}
	return nil
}

func (r *replaying) close() {
	for _, s := range r.sources {
		s.Close()
	}
	r.sink.Close()
}
