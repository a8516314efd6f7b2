package stage

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/logs"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry"
)

// formats decode messages and encode outputs.
type formats struct {
	// in are the decoder's settings.
	in            format.Decoding
	decoder       *format.Decoder
	writer, moves *format.Encoder
	groups        *format.Encoder
}

// formatsOf builds the formats of the configuration. chosen may be nil.
func formatsOf(ctx context.Context, s Settings, chosen func(format.Name, *stream.Message)) (f formats, err error) {
	c := s.Config
	if f.in, err = incoming(ctx, s, chosen); err != nil {
		return f, err
	}
	if f.decoder, err = decoderOf(f.in); err != nil {
		return f, err
	}
	if err := keepable(c.Writes(), s); err != nil {
		return f, fmt.Errorf("sink: %w", err)
	}
	out := format.Encoding{Format: format.Name(c.Sink.Format), Pass: c.Sink.Pass, Registry: f.in.Registry, Topic: c.Sink.Kafka.Topic, Strategy: registry.Strategy(c.Sink.Subject), RecordName: c.Sink.RecordName}
	if f.writer, err = format.NewEncoder(out); err != nil {
		return f, fmt.Errorf("sink: %w", err)
	}
	if err := f.checkSchema(ctx, s); err != nil {
		return f, fmt.Errorf("sink: %w", err)
	}
	out.Pass, out.Topic = false, c.Sink.Moves // a moved point has no original record
	if f.moves, err = format.NewEncoder(out); err != nil {
		return f, fmt.Errorf("moves: %w", err)
	}
	out.Topic, out.RecordName = c.Sink.Clusters, ""
	if out.Strategy == registry.RecordName {
		out.Strategy = registry.TopicRecordName // records of clusters have other fields than places
	}
	if f.groups, err = format.NewEncoder(out); err != nil {
		return f, fmt.Errorf("clusters: %w", err)
	}
	return f, nil
}

// checkSchema compares pinned types and the schema of outputs with the schemas of earlier outputs.
func (f formats) checkSchema(ctx context.Context, s Settings) error {
	if w := s.Config.Writes(); w != format.Avro && w != format.Auto {
		return nil
	}
	passing := append([]string{s.Mapping.ID, s.Mapping.Label}, s.Mapping.Keep...)
	if err := f.writer.CheckPins(ctx, f.in.Spec.Types, s.Mapping.ID, passing); err != nil {
		return err
	}
	return f.writer.CheckRecord(ctx, s.Spec.MapDims(), f.in.Spec.Types, s.Mapping.ID, passing)
}

// incoming returns the settings for decoding the source's messages.
func incoming(ctx context.Context, s Settings, chosen func(format.Name, *stream.Message)) (in format.Decoding, err error) {
	c := s.Config
	in = format.Decoding{Format: c.Source.Read(), Arrow: limits(c), ID: s.Mapping.ID, Truncate: c.Source.Truncate == "empty", Chosen: chosen}
	if in.Registry, err = schemaRegistry(c.Registry, s.Env); err != nil {
		return in, err
	}
	if in.Spec, err = wanted(s); err != nil {
		return in, err
	}
	if in.File, err = schemaFile(ctx, &c.Source); err != nil {
		return in, fmt.Errorf("source.schema: %w", err)
	}
	return in, nil
}

// decoderOf returns the decoder of the source's messages.
func decoderOf(in format.Decoding) (*format.Decoder, error) {
	d, err := format.NewDecoder(in)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	return d, nil
}

// whole returns a decoder that also returns unnamed columns, for inspection.
func (f formats) whole() (*format.Decoder, error) {
	in := f.in
	in.Spec.Named, in.Spec.Paths = slices.Concat(in.Spec.Named, in.Spec.Paths), nil
	in.Chosen = nil
	return decoderOf(in)
}

func (f formats) close() error {
	if f.in.Registry != nil {
		f.in.Registry.Close()
	}
	return nil
}

// keepable returns an error for columns that a format cannot keep.
func keepable(n format.Name, s Settings) error {
	keep := append([]string{s.Mapping.Label}, s.Mapping.Keep...)
	keep = slices.DeleteFunc(keep, func(name string) bool { return name == "" })
	switch n {
	case format.JSON:
		return emit.CheckJSON(s.Spec.MapDims(), keep)
	case format.Avro:
		return emit.CheckAvro(s.Spec.MapDims(), keep)
	case format.Protobuf:
		return emit.CheckProtobuf(s.Spec.MapDims(), keep)
	}
	return nil
}

// schemaFile reads the schema file of messages, nil if there is none.
func schemaFile(ctx context.Context, s *config.Source) (*format.File, error) {
	if s.Schema == "" {
		return nil, nil
	}
	return format.ReadFile(ctx, s.Read(), s.Schema, s.Message)
}

// schemaRegistry returns the client of the schema registry, nil if there is none.
func schemaRegistry(r config.Registry, env Environment) (*registry.Client, error) {
	if r.URL == "" {
		return nil, nil
	}
	set := registry.Settings{URL: r.URL, User: r.User}
	var err error
	if r.User != "" {
		if set.Password, err = passwordOf(r.Account(), env); err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
	}
	if r.TLS.On() {
		if set.TLS, err = tlsConfig(r.TLS); err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
	}
	return registry.New(set)
}

// wanted returns the columns to decode: the named ones or, if they do not define the vector, all.
// An embedder decodes the columns of its maps, which it does not know beforehand.
func wanted(s Settings) (record.Spec, error) {
	types, err := record.ParseTypes(s.Config.Source.Types)
	if err != nil {
		return record.Spec{}, fmt.Errorf("source.types: %w", err)
	}
	m := s.Mapping
	out := record.Spec{ID: m.ID, Vector: m.Vector, Types: types, Limits: record.Limits{Memory: int64(s.Config.Limits.MessageMemory)}}
	named, all := namedColumns(m)
	if all || s.Config.Role == config.RoleEmbed {
		out.Named = named
	} else {
		out.Paths = named
	}
	return out, nil
}

// namedColumns returns the columns named in a mapping. all is set if the mapping also includes
// others.
func namedColumns(m ingest.Mapping) (names []string, all bool) {
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	add(m.ID)
	for _, name := range m.Keep {
		add(name)
	}
	add(m.Label)
	add(m.Vector)
	all = m.Vector == "" && len(m.Columns) == 0
	for _, c := range m.Columns {
		if c.Several() {
			all = true
		} else {
			add(c.Name)
		}
	}
	return names, all
}

// logChosen returns a function that logs the detected format of a source's messages.
func logChosen(log *slog.Logger) func(format.Name, *stream.Message) {
	return func(n format.Name, m *stream.Message) {
		logs.Say(log, slog.LevelInfo, logs.Format, fmt.Sprintf("messages of topic %s are read as %s", m.Topic, n),
			slog.String(logs.What, string(n)), slog.String(logs.Topic, m.Topic), slog.Int(logs.Partition, m.Partition), slog.Int64(logs.Offset, m.Offset))
	}
}
