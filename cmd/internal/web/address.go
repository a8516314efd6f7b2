package web

import (
	"net"
	"strings"
)

// unixPrefix starts the address of a socket in the file system.
const unixPrefix = "unix:"

// Loopback reports whether a listen address, HOST:PORT, can only be reached from this machine.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback(host)
}

// loopback reports whether a host name or address is the loopback interface.
func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// private reports whether only this machine can reach an address, including a socket in the file
// system.
func private(address string) bool {
	return strings.HasPrefix(address, unixPrefix) || Loopback(address)
}

// nameOf returns the host of HOST:PORT or HOST, without brackets and a final dot, in lower case.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// ownAddress returns an address of this machine that others may reach, IPv4 if there is one, "" if
// there is none.
func ownAddress() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	best := ""
	for _, a := range all {
		n, is := a.(*net.IPNet)
		if !is || !n.IP.IsGlobalUnicast() {
			continue
		}
		if n.IP.To4() != nil {
			return n.IP.String()
		}
		best = n.IP.String()
	}
	return best
}
