package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/stage"
	"unfold/models/fit"
	"unfold/stream"
	"unfold/stream/kafka"
)

// dlqCmd lists and replays the messages of the dead-letter topic.
type dlqCmd struct {
	List   dlqListCmd   `cmd:"" help:"List the messages that are dead letters, and why."`
	Replay dlqReplayCmd `cmd:"" help:"Write dead letters to the topic that they came from, as they were."`
}

func newDLQ(kinds []fit.Kind) *dlqCmd {
	brokers := func() configFlags { return configFlags{settingFlags: flagsOf(brokerKeys, kinds)} }
	return &dlqCmd{List: dlqListCmd{configFlags: brokers()}, Replay: dlqReplayCmd{configFlags: brokers()}}
}

// letterFlags select dead letters.
type letterFlags struct {
	Stage     stageFlag `placeholder:"KAFKA_CONSUME|VALUE_CONVERTER|TRANSFORMATION|KAFKA_PRODUCE" help:"Only those of this step, as in the list: KAFKA_CONSUME (reading), VALUE_CONVERTER (decoding), TRANSFORMATION (placing) or KAFKA_PRODUCE (writing)."`
	Exception string    `placeholder:"TEXT" help:"Only those whose error's kind or text holds this."`
}

// stageFlag is a processing step, given by any of its names. Empty selects all.
type stageFlag stream.Stage

// UnmarshalText parses the name of a step.
func (s *stageFlag) UnmarshalText(text []byte) error {
	stage, err := stream.ParseStage(string(text))
	*s = stageFlag(stage)
	return err
}

func (f letterFlags) match(why stream.Reason) bool {
	return (f.Stage == "" || why.Stage == stream.Stage(f.Stage)) &&
		(strings.Contains(why.Exception, f.Exception) || strings.Contains(why.Message, f.Exception))
}

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
	Last int  `default:"20" placeholder:"N" help:"Show the last N in each partition; 0 shows all. The counts are of all."`
	JSON bool `help:"Write an object a line for each, and no counts."`
}

func (dlqListCmd) Help() string {
	return `Reads the topic of dead letters from its beginning to its end as it is now. Nothing is written, no offset is committed.`
}

// listed is an entry in the list of dead letters.
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
	// Bytes is the length of the message's value. If Elsewhere is set, the value is not in the dead
	// letter but at its source offset.
	Bytes     int64 `json:"bytes"`
	Elsewhere bool  `json:"elsewhere,omitempty"`
}

// where formats the source topic, partition and offset for errors.
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
		l := listed{m.Partition, m.Offset, m.Time, why.Topic, why.Partition, why.Offset, string(why.Stage), why.Exception, why.Message, int64(len(m.Value)), false}
		if e := why.Elsewhere; e != nil {
			l.Bytes, l.Elsewhere = e.Length, true
		}
		if c.JSON {
			return json.NewEncoder(p.jsonOut()).Encode(l)
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
			there := ""
			if l.Elsewhere {
				there = " (the value is there only)"
			}
			p.printf("%d/%d  %s  from %s/%d, offset %d, %s%s: %s\n", l.Partition, l.Offset, l.Time.Format(time.RFC3339), l.Topic, l.From, l.At,
				humanize.Bytes(l.Bytes), there, oneLine(strings.TrimPrefix(l.Message, l.where()+": ")))
		}
	}
	p.printf("%s\n", humanize.Plural(total, "dead letter"))
	for _, kind := range sortedKeys(counts) {
		p.printf("%8s  %s\n", humanize.Count(counts[kind]), kind)
	}
	if foreign > 0 {
		p.note("%s in the topic that no stage wrote", humanize.Plural(foreign, "message"))
	}
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

// oneLine shortens a text to fit one line.
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
