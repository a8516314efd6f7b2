// Package address hides the secrets in addresses when they are printed. The address of an input, a
// store or a service may contain a user, a password, a signature or a token:
//
//	a := address.Address("https://ann:secret@host/events.csv?sig=abc")
//	fmt.Println(a)        // https://***@host/events.csv?sig=***
//	client.Get(a.Raw())   // the address itself
//
// Redact does the same for addresses inside any text, such as errors of other libraries that quote
// them.
package address

import (
	"regexp"
	"strings"
)

// Address is the address of a remote resource. All ways of printing it hide its secrets.
type Address string

// String returns the address without the user, the password and the values of its query.
func (a Address) String() string { return Redact(string(a)) }

// GoString is String, so that "%#v" prints no secret either.
func (a Address) GoString() string { return a.String() }

// MarshalText is String, for JSON and the like.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Raw returns the complete address with its secrets, for connecting. It must not be printed.
func (a Address) Raw() string { return string(a) }

// hidden stands for a secret.
const hidden = "***"

// url matches an address in a text, up to white space or a quote. It also matches a single slash,
// which remains when an address was cleaned as a path.
var url = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]+:/{1,2}[^\s"<>` + "`" + `]+`)

// hostPort matches USER:PASSWORD@HOST:PORT without a scheme, as some give it for HOST:PORT. The
// password does not begin with a slash, unlike the rest of an address with a scheme.
var hostPort = regexp.MustCompile(`[^\s"'<>@/:=` + "`" + `]*:[^\s"'<>@/` + "`" + `][^\s"'<>@` + "`" + `]*@((?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]+)`)

// Redact returns a text in which no address has a user, a password, or values in its query or
// fragment. Addresses of files (file:///path) stay, as they have no secrets.
func Redact(text string) string {
	text = url.ReplaceAllStringFunc(text, one)
	if !strings.Contains(text, "@") {
		return text
	}
	return hostPort.ReplaceAllString(text, hidden+"@$1")
}

// one redacts an address. Signs of punctuation at its end are the sentence's.
func one(a string) string {
	end := len(strings.TrimRight(a, `.,:;!')]}\`))
	a, rest := a[:end], a[end:]
	scheme, _, _ := strings.Cut(a, ":/")
	after := strings.TrimLeft(a[len(scheme)+1:], "/")
	if strings.EqualFold(scheme, "file") {
		return a + rest
	}
	where, query := after, ""
	if i := strings.IndexAny(after, "?#"); i >= 0 {
		where, query = after[:i], after[i:]
	}
	return a[:len(a)-len(after)] + withoutUser(where, &query) + values(query) + rest
}

// withoutUser takes user and password from host and path. A password that is not escaped may hold a
// slash, a question mark or a number sign; what follows it is then no query.
func withoutUser(where string, query *string) string {
	authority, _, _ := strings.Cut(where, "/")
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		return hidden + where[at:]
	}
	_, port, colon := strings.Cut(authority, ":")
	if !colon || strings.HasPrefix(authority, "[") || strings.Trim(port, "0123456789") == "" {
		return where
	}
	whole := where + *query
	at := strings.LastIndex(whole, "@")
	if at < 0 {
		return where
	}
	*query = ""
	if i := strings.IndexAny(whole[at:], "?#"); i >= 0 {
		*query = whole[at+i:]
		whole = whole[:at+i]
	}
	return hidden + whole[at:]
}

// values hides those of a query or fragment, and keeps their names.
func values(query string) string {
	if query == "" {
		return ""
	}
	var out strings.Builder
	for query != "" {
		sign := query[:1]
		part := query[1:]
		next := strings.IndexAny(part, "?#&;")
		if next < 0 {
			next = len(part)
		}
		name, value, assigned := strings.Cut(part[:next], "=")
		out.WriteString(sign)
		switch {
		case assigned && value != "":
			out.WriteString(name + "=" + hidden)
		case !assigned && name != "" && sign != "#":
			out.WriteString(hidden)
		default:
			out.WriteString(part[:next])
		}
		query = part[next:]
	}
	return out.String()
}
