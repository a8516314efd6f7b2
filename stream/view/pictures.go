package view

import (
	"fmt"
	"net/url"
	"strings"
)

// Image is the size of pictures in pixels.
type Image struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// ParseImage returns the size of pictures that a text such as 28x28 states, zeros for "".
func ParseImage(text string) (out Image, err error) {
	if text == "" {
		return out, nil
	}
	if n, err := fmt.Sscanf(text, "%dx%d", &out.Width, &out.Height); n != 2 || err != nil || out.Width < 1 || out.Height < 1 || fmt.Sprintf("%dx%d", out.Width, out.Height) != text {
		return Image{}, fmt.Errorf("%q is not a width and a height, such as 28x28", text)
	}
	return out, nil
}

// CheckOrigins returns an error if a text is not an origin from which the page may load pictures. The
// texts become part of the page's Content-Security-Policy.
func CheckOrigins(texts []string) error {
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || text != u.Scheme+"://"+u.Host || strings.ContainsAny(text, "*;, '\"") {
			return fmt.Errorf("%q is not an origin, such as https://images.example.org", text)
		}
	}
	return nil
}
