// Package config reads the settings of the stage.
//
// A setting has one name, its key, such as source.kafka.topic. It can be set in four places. A
// later place overrides an earlier one:
//
//  1. its default,
//  2. the YAML file: source: {kafka: {topic: events}},
//  3. the environment: UNFOLD_SOURCE_KAFKA_TOPIC=events,
//  4. the command line: --source-kafka-topic=events.
//
// All of these are derived from struct tags (package setting), which define a field's key, default,
// help and values. The structs are [Config] and those of the kinds of models (package fit). [Keys]
// lists all settings. The command line derives its flags from that list, so every setting is known
// in all places.
//
// In the file, ${VAR} is replaced by the environment variable VAR. ${VAR:default} has a default,
// and $${ is a literal ${. Quotes are optional. Values are inserted after the YAML is parsed, so a
// colon or a quote in a value cannot break the file.
//
// The file is read strictly. Unknown keys, values that do not parse and values outside the choices
// are errors. An error names file, line and column, and suggests a similar value if there is one.
// All problems are returned together, in an [*Error].
package config
