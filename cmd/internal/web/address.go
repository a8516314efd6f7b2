package web

import (
	"net"
	"strings"
)

// unixPrefix begins the address of a socket in the file system.
const unixPrefix = "unix:"

// Loopback reports whether an address to listen on, HOST:PORT, is one that this machine alone reaches.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback(host)
}

// loopback reports whether a host is this machine, seen from itself.
func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// private reports whether an address is this machine's alone: a socket in the file system is, too.
func private(address string) bool {
	return strings.HasPrefix(address, unixPrefix) || Loopback(address)
}

// nameOf is the host of HOST:PORT or HOST, without brackets and a final dot, in lower case.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
