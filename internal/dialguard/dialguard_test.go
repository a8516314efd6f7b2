package dialguard_test

import (
	"net/netip"
	"testing"

	"unfold/internal/dialguard"
)

// A link-local address is only connected to if the user named it.
func TestControl(t *testing.T) {
	for address, named := range map[string]string{
		"169.254.169.254:80": "", "[fe80::1%eth0]:80": "", "[::ffff:169.254.169.254]:80": "", "100.100.100.200:80": "",
		"[fd00:ec2::254]:80": "", "168.63.129.16:80": "", "0.0.0.0:80": "", "192.0.0.192:80": "", "[fd20:ce::254]:80": "", "[fd00:42::42]:80": "",
		"[::]:80": "", "[::169.254.169.254]:80": "", "[64:ff9b::a9fe:a9fe]:80": "", "[64:ff9b:1::a9fe:a9fe]:80": "", "[2002:a9fe:a9fe::1]:80": "",
		"[::ffff:0:169.254.169.254]:80": "", "[ff02::1]:80": "",
	} {
		if err := dialguard.Control(netip.Addr{})("tcp", address, nil); err == nil {
			t.Errorf("%s is connected to, which %q names", address, named)
		}
	}
	for address, named := range map[string]string{
		"127.0.0.1:80": "", "10.1.2.3:80": "", "[::1]:80": "", "169.254.169.254:80": "169.254.169.254", "[64:ff9b::5db8:d822]:443": "", "[2606:2800:220:1::1]:443": "", "93.184.216.34:443": "",
	} {
		to, _ := netip.ParseAddr(named)
		if err := dialguard.Control(to)("tcp", address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
