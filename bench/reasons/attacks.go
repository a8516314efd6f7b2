package main

// The columns that identify each attack. K. Kendall, "A Database of Computer Attacks for the
// Evaluation of Intrusion Detection Systems" (master's thesis, MIT, 1999) describes the attacks of
// the DARPA evaluation, from which both data sets are derived. The columns are described in the
// task description of KDD Cup 1999 (S. Stolfo, W. Fan, W. Lee, A. Prodromidis, P. Chan) and in W.
// Lee and S. Stolfo, "A Framework for Constructing Features and Models for Intrusion Detection
// Systems" (ACM TISSEC 3, 2000). Which columns an attack affects is our reading of both, with one
// line per attack. It was written before any measurement.

// attack describes one attack.
type attack struct {
	name, does string
	columns    []string
}

// Groups of columns.
var (
	// synErrors are shares of connections that were started but not answered (flags S0 to S3),
	// rejections of those that were refused (REJ). Each counts connections to the same host or
	// service, within two seconds or among the last hundred.
	synErrors  = []string{"serror_rate", "srv_serror_rate", "dst_host_serror_rate", "dst_host_srv_serror_rate"}
	rejections = []string{"rerror_rate", "srv_rerror_rate", "dst_host_rerror_rate", "dst_host_srv_rerror_rate"}
	// services and hosts measure how many services of a host, or hosts of a service, are contacted.
	services = []string{"same_srv_rate", "diff_srv_rate", "dst_host_same_srv_rate", "dst_host_diff_srv_rate", "dst_host_srv_count", "dst_host_count"}
	hosts    = []string{"srv_diff_host_rate", "dst_host_srv_diff_host_rate", "dst_host_same_src_port_rate", "dst_host_count"}
	// floods count connections of the last two seconds.
	floods = []string{"count", "srv_count"}
	// shells are the actions of a program that has become root.
	shells = []string{"root_shell", "num_shells", "num_root", "num_file_creations", "num_compromised", "su_attempted", "hot"}
	// sessions are the actions of a guest or intruder who writes or copies files.
	sessions = []string{"hot", "is_guest_login", "num_file_creations", "num_access_files", "num_root", "num_compromised", "src_bytes", "dst_bytes", "duration"}
)

func together(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var attacks = []attack{
	{"back", "requests to a web server whose address is thousands of slashes", []string{"src_bytes", "hot", "num_compromised"}},
	{"land", "a packet whose sender is its receiver", []string{"land", "flag", "serror_rate", "srv_serror_rate"}},
	{"neptune", "connections that are begun and never finished", together([]string{"flag"}, synErrors, floods, services)},
	{"pod", "an echo request that is larger than a packet may be, in fragments", []string{"wrong_fragment", "protocol_type", "service", "src_bytes"}},
	{"smurf", "a flood of echo replies that somebody else was made to send", together([]string{"protocol_type", "service", "src_bytes"}, floods)},
	{"teardrop", "datagrams in fragments that overlap", []string{"wrong_fragment", "protocol_type", "service"}},
	{"ipsweep", "echo requests to many hosts", together([]string{"protocol_type", "service", "src_bytes"}, hosts)},
	{"nmap", "scans of hosts and ports of several kinds", together([]string{"protocol_type", "service", "flag"}, hosts, services[:5], synErrors)},
	{"portsweep", "many ports of a host are tried", together([]string{"service", "flag"}, rejections, services, synErrors)},
	{"satan", "many services of a host are looked at for weaknesses", together([]string{"service", "flag"}, rejections, services, synErrors, floods)},
	{"guess_passwd", "passwords are tried", []string{"num_failed_logins", "service", "hot", "flag"}},
	{"ftp_write", "files are written into a directory of an FTP server that anybody may write to", sessions},
	{"warezclient", "copies are taken from an FTP server by its guest's account", together(sessions, []string{"service"})},
	{"warezmaster", "copies are put on an FTP server by its guest's account", together(sessions, []string{"service"})},
	{"phf", "a command is put into the address of a script of a web server", []string{"root_shell", "num_access_files", "hot", "dst_bytes"}},
	{"imap", "a login of an IMAP server runs over its room and gives a root shell", together([]string{"service", "flag"}, shells)},
	{"buffer_overflow", "input that is too long makes a program give a root shell", shells},
	{"loadmodule", "a program that loads drivers gives a root shell", shells},
	{"perl", "a script of Perl gives a root shell", shells},
	{"rootkit", "programs are put on a host that let an intruder in again", shells},
}

// known returns the columns of an attack, or false for an undescribed one.
func known(label string) (map[string]bool, bool) {
	for _, a := range attacks {
		if a.name == label {
			all := map[string]bool{}
			for _, c := range a.columns {
				all[c] = true
			}
			return all, true
		}
	}
	return nil, false
}
