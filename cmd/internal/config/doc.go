// Package config reads the settings of the stage.
//
// A setting has one name, its key, such as source.kafka.topic, and may be given
// in four places; a later one wins:
//
//  1. its default,
//  2. the YAML file: source: {kafka: {topic: events}},
//  3. the environment: UNFOLD_SOURCE_KAFKA_TOPIC=events,
//  4. the command line: --source-kafka-topic=events.
//
// All of these follow from the tags of structs (package setting): a field's key, its
// default, what help says of it, which values it takes. The structs are [Config] and
// those that kinds of models bring with them (package fit). [Keys] lists them; the
// command line makes flags of that list, so no setting can be known in one place
// and not in another.
//
// In the file, ${VAR} stands for the environment's VAR and ${VAR:default} for
// the same with a default ($${ is a plain ${), with quotes or without. They are
// put in after the YAML has been parsed, so a value with a colon or a quote in it
// cannot break the file.
//
// The file is read strictly. Errors are a key that does not exist, a value that does not
// parse and a value that is not among the choices. They name file, line and column and,
// where one is near, the value that was probably meant. All problems come back at once, in
// an [*Error].
package config
