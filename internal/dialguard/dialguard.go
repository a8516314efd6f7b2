// Package dialguard keeps HTTP clients away from inner addresses: those of the local link, and those
// at which clouds give credentials to their own machines. A name or a redirect of somebody else may
// lead there.
//
//	dialer := &net.Dialer{Control: dialguard.Control(netip.Addr{})}
//
// The check is made for the address that a name resolves to, at every connection, so a name that
// changes its address is no way around it. Behind a proxy, which resolves names itself, only
// addresses in redirects are checked (Redirect).
package dialguard

import (
	"fmt"
	"net/netip"
	"strings"
	"syscall"
)

// services are addresses at which clouds give credentials to their own machines, in addition to
// link-local ones.
var services = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), // Alibaba Cloud
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud
	netip.MustParseAddr("fd00:42::42"),     // Scaleway
	netip.MustParseAddr("fd00:ec2::254"),   // Amazon EC2
	netip.MustParseAddr("fd20:ce::254"),    // Google Cloud
}

// embedding are prefixes of IPv6 addresses that stand for an IPv4 address, with the byte at which
// that begins.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},  // NAT64 of a local network, in its usual form
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

// Plain returns the IPv4 address that an IPv6 address stands for, or else the address itself.
func Plain(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() || a.IsUnspecified() || a.IsLoopback() {
		return a
	}
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			b := a.As16()
			return netip.AddrFrom4([4]byte(b[e.at : e.at+4]))
		}
	}
	return a
}

// Inner reports whether an address is link-local, or a cloud's metadata service.
func Inner(a netip.Addr) bool {
	a = Plain(a)
	if a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return true
	}
	for _, s := range services {
		if a == s {
			return true
		}
	}
	return false
}

// Control returns a function for net.Dialer that rejects connections to inner addresses, except to
// named. A name or a redirect may lead there by mistake or malice. It is called after name
// resolution, for each connection.
func Control(named netip.Addr) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("an address that cannot be read: %w", err)
		}
		if to := at.Addr(); Inner(to) && Plain(to) != named {
			return fmt.Errorf("it leads to %s, an address of the local link or of a cloud's own services: name that address itself if you mean it", to.WithZone(""))
		}
		return nil
	}
}

// Redirect rejects the host of a redirect that is an inner address. Control checks connections, but
// with a proxy (HTTP_PROXY) it is the proxy that connects, and it may read addresses in other forms,
// such as 2852039166 or 0xa9.0xfe.0xa9.0xfe.
func Redirect(host string, named netip.Addr) error {
	to, err := netip.ParseAddr(host)
	if err == nil && Inner(to) && Plain(to) != named {
		return fmt.Errorf("it redirects to %s, an address of the local link or of a cloud's own services: name that address itself if you mean it", to.WithZone(""))
	}
	last := strings.TrimSuffix(host, ".")
	last = strings.ToLower(last[strings.LastIndexByte(last, '.')+1:])
	if err != nil && (strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == "") {
		return fmt.Errorf("it redirects to %q, an address in an unusual form", host)
	}
	return nil
}
