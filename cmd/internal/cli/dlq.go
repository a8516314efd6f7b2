package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/human"
	"unfold/cmd/internal/stage"
	"unfold/stream"
	"unfold/stream/kafka"
)

// dlqCmd is about the topic of dead letters.
type dlqCmd struct {
	List   dlqListCmd   `cmd:"" help:"Say which messages are dead letters, and why."`
	Replay dlqReplayCmd `cmd:"" help:"Write dead letters to the topic that they came from, as they were."`
}

func newDLQ() *dlqCmd {
	brokers := func() configFlags { return configFlags{settingFlags: flagsOf(brokerKeys)} }
	return &dlqCmd{List: dlqListCmd{configFlags: brokers()}, Replay: dlqReplayCmd{configFlags: brokers()}}
}

// letterFlags choose among dead letters.
type letterFlags struct {
	Stage     stageFlag `placeholder:"KAFKA_CONSUME|VALUE_CONVERTER|TRANSFORMATION" help:"Only those of this step, as the list names it: that could not be read from the log, decoded (VALUE_CONVERTER) or placed (TRANSFORMATION)."`
	Exception string    `placeholder:"TEXT" help:"Only those whose error's kind or text holds this."`
}

// stageFlag is a step by any of its names; empty for all.
type stageFlag stream.Stage

// UnmarshalText reads a step.
func (s *stageFlag) UnmarshalText(text []byte) error {
	stage, err := stream.ParseStage(string(text))
	*s = stageFlag(stage)
	return err
}

func (f letterFlags) match(why stream.Reason) bool {
	return (f.Stage == "" || why.Stage == stream.Stage(f.Stage)) &&
		(strings.Contains(why.Exception, f.Exception) || strings.Contains(why.Message, f.Exception))
}

// letters opens the topic of dead letters.
func (f *configFlags) letters(ctx context.Context, p *program, group string) (*kafka.TopicReader, stage.Settings, error) {
	s, err := f.load(p)
	if err != nil {
		return nil, s, err
	}
	topic := s.Config.DeadLetter.Topic
	if topic == "" {
		return nil, s, usagef("no topic of dead letters is set (dead_letter.topic)")
	}
	cluster, err := stage.SinkCluster(s.Config, s.Env)
	if err != nil {
		return nil, s, err
	}
	r, err := kafka.OpenTopic(ctx, kafka.TopicSettings{Cluster: cluster, Topic: topic, Group: group})
	return r, s, err
}

type dlqListCmd struct {
	configFlags
	letterFlags
	Last int  `default:"20" placeholder:"N" help:"Show the last N in each partition; 0: all. The counts are of all."`
	JSON bool `help:"Write an object a line for each, and no counts."`
}

func (dlqListCmd) Help() string {
	return `Reads the topic of dead letters from its beginning to its end as it is now. Nothing is written, no position is moved.`
}

// listed is a dead letter in a list.
type listed struct {
	Partition int       `json:"dead_letter_partition"`
	Offset    int64     `json:"dead_letter_offset"`
	Time      time.Time `json:"time"`
	Topic     string    `json:"topic"`
	From      int       `json:"partition"`
	At        int64     `json:"offset"`
	Stage     string    `json:"stage"`
	Exception string    `json:"exception"`
	Message   string    `json:"message"`
	Bytes     int       `json:"bytes"`
}

// where is how errors tell where a message lay.
func (l listed) where() string {
	m := stream.Message{TopicPartition: stream.TopicPartition{Topic: l.Topic, Partition: l.From}, Offset: l.At}
	return m.Where()
}

func (c *dlqListCmd) Run(ctx context.Context, p *program) error {
	r, _, err := c.letters(ctx, p, "")
	if err != nil {
		return err
	}
	defer r.Close()
	shown := map[int][]listed{}
	counts := map[string]int{}
	total, foreign := 0, 0
	err = each(ctx, r, func(m stream.Message) error {
		_, why, ok := stream.ReadDeadLetter(m)
		if !ok {
			foreign++
			return nil
		}
		if !c.match(why) {
			return nil
		}
		total++
		counts[string(why.Stage)+" "+why.Exception]++
		l := listed{m.Partition, m.Offset, m.Time, why.Topic, why.Partition, why.Offset, string(why.Stage), why.Exception, why.Message, len(m.Value)}
		if c.JSON {
			return json.NewEncoder(p.Stdout).Encode(l)
		}
		list := append(shown[m.Partition], l)
		if c.Last > 0 && len(list) > c.Last {
			list = list[1:]
		}
		shown[m.Partition] = list
		return nil
	})
	if err != nil || c.JSON {
		return err
	}
	for _, partition := range sortedKeys(shown) {
		for _, l := range shown[partition] {
			p.printf("%d/%d  %s  from %s/%d, offset %d, %s: %s\n", l.Partition, l.Offset, l.Time.Format(time.RFC3339), l.Topic, l.From, l.At,
				human.Bytes(int64(l.Bytes)), oneLine(strings.TrimPrefix(l.Message, l.where()+": ")))
		}
	}
	p.printf("%s\n", human.Plural(total, "dead letter"))
	for _, kind := range sortedKeys(counts) {
		p.printf("%8s  %s\n", human.Count(counts[kind]), kind)
	}
	if foreign > 0 {
		p.note("%s in the topic that no stage wrote", human.Plural(foreign, "message"))
	}
	return nil
}

type dlqReplayCmd struct {
	configFlags
	letterFlags
	To     string `placeholder:"TOPIC" help:"Topic to write them to. Default: the one that each came from, which must be the stage's own."`
	DryRun bool   `help:"Say what would be written, and write nothing."`
}

func (dlqReplayCmd) Help() string {
	return `Writes each dead letter to the topic that it came from, with key, bytes, time and headers as they were before it was given
up. The stage then reads it once more. It goes on where the last replay stopped: the consumer group GROUP-replay holds how far
that is, and what a filter passes over is not replayed later either. Batches
that could not be read at all are passed over, too: they are kept as they lay in the topic. If it is interrupted some may be written twice.`
}

func (c *dlqReplayCmd) Run(ctx context.Context, p *program) error {
	s, err := c.load(p)
	if err != nil {
		return err
	}
	r, s, err := c.letters(ctx, p, s.Config.Source.Kafka.Group+"-replay")
	if err != nil {
		return err
	}
	defer r.Close()
	to := c.To
	if to == "" {
		to = s.Config.Source.Kafka.Topic
	}
	cluster, err := stage.SourceCluster(s.Config, s.Env)
	if err != nil {
		return err
	}
	sink, err := kafka.NewSink(ctx, kafka.SinkSettings{Cluster: cluster, Topic: to})
	if err != nil {
		return err
	}
	defer sink.Close()
	written, passed := 0, 0
	for {
		messages, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		chosen := make([]stream.Message, 0, len(messages))
		for _, m := range messages {
			original, why, ok := stream.ReadDeadLetter(m)
			if !ok || !c.match(why) || why.Stage == stream.StageRead || c.To == "" && why.Topic != to {
				passed++
				continue
			}
			chosen = append(chosen, original)
		}
		written += len(chosen)
		if c.DryRun {
			continue
		}
		// What failed with all replicas is not committed, and comes again next time.
		if err := sink.Write(ctx, chosen); err != nil {
			return fmt.Errorf("%w\n(the next replay begins with these)", err)
		}
		if err := r.Commit(ctx); err != nil {
			return err
		}
	}
	verb := "written"
	if c.DryRun {
		verb = "would be written"
	}
	p.printf("%s %s to topic %s, %s passed over\n", human.Plural(written, "dead letter"), verb, to, human.Count(passed))
	return nil
}

// each calls f with every message.
func each(ctx context.Context, r *kafka.TopicReader, f func(stream.Message) error) error {
	for {
		messages, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := f(m); err != nil {
				return err
			}
		}
	}
}

// oneLine shortens a text to what fits a line.
func oneLine(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

func sortedKeys[K int | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
