package serve

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unfold/ingest/emit"
	"unfold/stream"
)

// accepted returns the format that the Accept headers prefer. Among equally preferred formats, that
// of the request (like) wins.
func accepted(headers []string, like Format) (Format, error) {
	if len(headers) == 0 {
		return like, nil
	}
	best, quality := Auto, 0.0
	for _, f := range []Format{like, JSON, Arrow} {
		if q := qualityOf(headers, f.contentType()); q > quality {
			best, quality = f, q
		}
	}
	if best == Auto {
		return best, Problemf(http.StatusNotAcceptable, "Accept is %q; answers are %s or %s", strings.Join(headers, ", "), emit.JSONType, stream.ContentType)
	}
	return best, nil
}

// qualityOf returns the quality of a media type, from 0 to 1, by the most specific range that
// matches it (RFC 9110, 12.5.1).
func qualityOf(headers []string, name string) float64 {
	group, _, _ := strings.Cut(name, "/")
	quality, exact := 0.0, 0
	for _, h := range headers {
		for _, one := range strings.Split(h, ",") {
			kind, parameters, err := mime.ParseMediaType(one)
			if err != nil {
				continue
			}
			fits := map[string]int{"*/*": 1, group + "/*": 2, name: 3}[kind]
			if fits <= exact {
				continue
			}
			q := 1.0
			if text, there := parameters["q"]; there {
				if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
					continue
				}
			}
			quality, exact = q, fits
		}
	}
	return quality
}
