package config

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"unfold/ingest/record"
	"unfold/stream/format"
	"unfold/stream/registry"
)

// OfMessages reports whether a key sets how messages are decoded. Files need no such settings.
func OfMessages(path string) bool {
	switch path {
	case "source.format", "source.types", "source.schema", "source.message", "source.truncate":
		return true
	}
	return false
}

// Read returns the format of messages. A schema file determines it unless it is set.
func (s *Source) Read() format.Name {
	if n, known := s.schemaFormat(); known && s.Format == string(format.Auto) {
		return n
	}
	return format.Name(s.Format)
}

// Writes returns the format of outputs. Auto means the format of each message.
func (c *Config) Writes() format.Name {
	if out := format.Name(c.Sink.Format); out != format.Same {
		return out
	}
	return c.Source.Read()
}

// schemaFormat returns the format of the schema file. known is false if there is no file, or its
// extension is ambiguous.
func (s *Source) schemaFormat() (n format.Name, known bool) {
	switch ext := strings.ToLower(filepath.Ext(s.Schema)); {
	case s.Schema == "":
		return "", false
	case ext == ".avsc":
		return format.Avro, true
	case ext == ".proto", ext == ".desc", ext == ".protoset", s.Message != "":
		return format.Protobuf, true
	}
	return "", false
}

// checkFormats reports formats that the settings do not allow.
func (c *Config) checkFormats(complain complainer) {
	if _, err := record.ParseTypes(c.Source.Types); err != nil {
		complain("source.types", "", "%v", err)
	}
	c.Source.checkSchema(complain)
	in, out := c.Source.Read(), format.Name(c.Sink.Format)
	if in == format.Arrow && len(c.Source.Types) > 0 {
		complain("source.types", "leave it out", "an Arrow IPC stream says of what types its columns are")
	}
	if schemaful(in) && c.Source.Schema == "" && c.Registry.URL == "" {
		complain("source.format", "give registry.url or source.schema", "%s needs a schema: of a registry, or in a file", in)
	}
	if c.Registry.URL == "" && out == format.Same && schemaful(in) && c.Source.Schema != "" && c.Role != RoleLearn {
		complain("sink.format", "give registry.url, or say json or arrow", "outputs in %s, as the source's messages, need a registry for their schema", in)
	}
	if c.Registry.URL == "" && schemaful(out) {
		complain("sink.format", "give registry.url, or say json or arrow", "%s needs a registry, for who reads the output", out)
	}
	if c.Registry.URL == "" && c.Sink.Subject != "topic" && c.Sink.Subject != "" {
		complain("sink.subject", "give registry.url, or leave it out", "there is no registry that has subjects")
	}
	if c.Sink.Subject == "record" && c.Sink.RecordName == "" && c.Registry.URL != "" && c.Writes() == format.Avro && !c.Sink.Pass {
		complain("sink.subject", "set sink.record_name, as in shop.Place (unfold.Place is what it was before)", "under the record's name, which is the same for all stages, schemas of other stages' places lie as well")
	}
	if c.Sink.RecordName != "" && !fullName.MatchString(c.Sink.RecordName) {
		complain("sink.record_name", "write letters, digits and underscores between dots, as in shop.Place", "%q is no full name of Avro", c.Sink.RecordName)
	}
	if w := c.Writes(); c.Sink.Pass && (w == format.Arrow || w == format.Protobuf || in != format.Auto && in != w) {
		complain("sink.pass", "name columns to keep (source.keep), which pass in any format", "records are written again, with more fields, in JSON or Avro, as they came; the source is read as %s, the sink written as %s", in, w)
	}
}

// fullName matches the full name of an Avro record.
var fullName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// schemaful reports whether a format needs a schema.
func schemaful(n format.Name) bool { return n == format.Avro || n == format.Protobuf }

// checkSchema reports conflicts with the schema file.
func (s *Source) checkSchema(complain complainer) {
	of, known := s.schemaFormat()
	switch given := format.Name(s.Format); {
	case s.Schema == "" && s.Message != "":
		complain("source.message", "name the file as source.schema, or leave it out: a registry's messages say which they are", "there is no schema that has it")
	case s.Schema == "":
	case given == format.Arrow || given == format.JSON:
		complain("source.schema", "leave it out", "%s needs no schema", given)
	case !known && given == format.Auto:
		complain("source.format", "say avro or protobuf", "the name of %s does not say which schema it is", s.Schema)
	case known && given != format.Auto && given != of:
		complain("source.schema", "", "%s is a schema of %s, and source.format is %s", s.Schema, of, given)
	case s.Message != "" && s.Read() != format.Protobuf:
		complain("source.message", "leave it out", "it goes with protobuf")
	}
}

// checkRegistry reports conflicts with the registry.
func (c *Config) checkRegistry(complain complainer) {
	r := c.Registry
	if r.URL == "" {
		if r != (Registry{}) {
			complain("registry.url", "", "missing: a user, password or TLS is named")
		}
		return
	}
	if _, err := registry.New(registry.Settings{URL: r.URL}); err != nil {
		complain("registry.url", "", "%v", err)
	}
	for _, text := range strings.Split(r.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil && u.User != nil {
			complain("registry.url", "give registry.user, and registry.password_file or registry.password_env", "it holds a user or a password, which settings do not")
		}
	}
	password := r.PasswordFile != "" || r.PasswordEnv != ""
	switch {
	case r.User == "" && password:
		complain("registry.user", "", "missing: a password is named")
	case r.User != "" && (r.PasswordFile == "") == (r.PasswordEnv == ""):
		complain("registry.password_file", "", "name either a file or, with password_env, a variable that holds the password")
	}
	if (r.TLS.Cert == "") != (r.TLS.Key == "") {
		complain("registry.tls.cert", "", "a certificate needs its key, and a key its certificate")
	}
}

// Account returns the registry's user as SASL settings, so that passwords are read in one way.
func (r Registry) Account() SASL {
	return SASL{Mechanism: "plain", User: r.User, PasswordFile: r.PasswordFile, PasswordEnv: r.PasswordEnv}
}
