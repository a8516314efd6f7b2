package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"unfold/internal/backoff"
	"unfold/stream"
)

// Type is the language of a schema.
type Type string

// The languages of schemas.
const (
	Avro     Type = "AVRO"
	Protobuf Type = "PROTOBUF"
	JSON     Type = "JSON" // JSON Schema
)

// Bounds of references.
const (
	maxReferences = 256
	maxDepth      = 16
)

// Schema is a schema with all schemas that it refers to.
type Schema struct {
	Type Type
	Text string
	// References are the schemas that it refers to, directly or not, each after those that it
	// needs.
	References []Reference
}

// Reference is a schema that another one refers to.
type Reference struct {
	// Name is the name in the referring schema: a type's full name in Avro, the path of an import
	// in Protobuf, a URL in JSON Schema.
	Name string
	// Subject and Version are its place in the registry.
	Subject string
	Version int
	// Text is the schema.
	Text string
}

// weigh returns the memory of a schema in bytes.
func weigh(s *Schema) int {
	n := 256 + len(s.Text)
	for _, r := range s.References {
		n += 64 + len(r.Name) + len(r.Subject) + len(r.Text)
	}
	return n
}

// Schema returns the schema with an id. It is shared and must not be changed. Temporary errors
// match *stream.UnavailableError.
func (c *Client) Schema(ctx context.Context, id int) (*Schema, error) {
	return c.ids.get(ctx, id, func(ctx context.Context) (*Schema, error) {
		return c.ask(ctx, fmt.Sprintf("schema %d", id), fmt.Sprintf("/schemas/ids/%d", id))
	})
}

// ByGUID returns the schema with a globally unique id, as Schema does.
func (c *Client) ByGUID(ctx context.Context, guid string) (*Schema, error) {
	return c.guids.get(ctx, guid, func(ctx context.Context) (*Schema, error) {
		return c.ask(ctx, fmt.Sprintf("schema %s", guid), "/schemas/guids/"+url.PathEscape(guid))
	})
}

// ByRef returns the schema that a message refers to.
func (c *Client) ByRef(ctx context.Context, r Ref) (*Schema, error) {
	if r.GUID != "" {
		return c.ByGUID(ctx, r.GUID)
	}
	return c.Schema(ctx, r.ID)
}

// answer is a registry's response about a schema.
type answer struct {
	Schema     *string              `json:"schema"`
	Type       Type                 `json:"schemaType"`
	References []sr.SchemaReference `json:"references"`
}

// ask gets a schema and all schemas that it refers to.
func (c *Client) ask(ctx context.Context, what, path string) (*Schema, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	a, err := c.one(ctx, what, path)
	if unknown := (*UnknownError)(nil); errors.As(err, &unknown) && c.mayConfirm() {
		if backoff.Wait(ctx, lag) == nil {
			a, err = c.one(ctx, what, path)
		}
	}
	if err != nil {
		return nil, err
	}
	s := &Schema{Type: a.Type, Text: *a.Schema}
	r := resolving{c: c, what: what, into: s, left: c.max - int64(len(s.Text)), seen: map[place]bool{}}
	if r.left < 0 {
		return nil, r.tooLarge()
	}
	return s, r.references(ctx, a, 1)
}

// The nodes of a registry know a new schema some time after the one that accepted it. So an unknown
// one is requested again after lag, but not each of a flood of them.
const (
	lag      = 250 * time.Millisecond
	lagEvery = 5 * time.Second
)

// mayConfirm reports whether to ask again, which is allowed only occasionally.
func (c *Client) mayConfirm() bool {
	now, last := time.Now().UnixNano(), c.confirmed.Load()
	return now-last >= int64(lagEvery) && c.confirmed.CompareAndSwap(last, now)
}

// one gets a single schema.
func (c *Client) one(ctx context.Context, what, path string) (answer, error) {
	var a answer
	if err := c.do(ctx, what, http.MethodGet, path, nil, &a); err != nil {
		return a, err
	}
	if a.Schema == nil {
		return a, &stream.UnavailableError{Err: fmt.Errorf("the schema registry %s answers without a schema for %s: is its URL right, up to the path?", c.servers[0].address, what)}
	}
	switch a.Type {
	case "":
		a.Type = Avro
	case Avro, Protobuf, JSON:
	default:
		return a, fmt.Errorf("%s is of type %q, which is not supported", what, a.Type)
	}
	return a, nil
}

// place is the location of a referenced schema, and its name there.
type place struct {
	name, subject string
	version       int
}

// resolving collects the schemas that a schema refers to.
type resolving struct {
	c    *Client
	what string
	into *Schema
	left int64
	// seen are the schemas that are resolved (true) or in progress (false).
	seen map[place]bool
}

func (r *resolving) tooLarge() error {
	return fmt.Errorf("%s takes more than %d bytes with its references", r.what, r.c.max)
}

// references adds the references of a response, depth first.
func (r *resolving) references(ctx context.Context, a answer, depth int) error {
	if depth > maxDepth && len(a.References) > 0 {
		return fmt.Errorf("%s: its references are more than %d deep", r.what, maxDepth)
	}
	for _, ref := range a.References {
		at := place{ref.Name, ref.Subject, ref.Version}
		if done, seen := r.seen[at]; seen {
			if !done {
				return fmt.Errorf("%s: version %d of %s refers to itself", r.what, ref.Version, ref.Subject)
			}
			continue
		}
		if len(r.seen) >= maxReferences {
			return fmt.Errorf("%s has more than %d references", r.what, maxReferences)
		}
		r.seen[at] = false
		what := fmt.Sprintf("version %d of %s, to which %s refers", ref.Version, ref.Subject, r.what)
		b, err := r.c.one(ctx, what, fmt.Sprintf("/subjects/%s/versions/%d", url.PathEscape(ref.Subject), ref.Version))
		if err != nil {
			return err
		}
		if b.Type != r.into.Type {
			return fmt.Errorf("%s is of type %s, %s of type %s", r.what, r.into.Type, what, b.Type)
		}
		if r.left -= int64(len(*b.Schema)); r.left < 0 {
			return r.tooLarge()
		}
		if err := r.references(ctx, b, depth+1); err != nil {
			return err
		}
		r.seen[at] = true
		r.into.References = append(r.into.References, Reference{ref.Name, ref.Subject, ref.Version, *b.Schema})
	}
	return nil
}
