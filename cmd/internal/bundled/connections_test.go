package bundled

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ConnectionColumns are the names of the bundled file's columns: the record's
// 1-based line in the original file, the 41 features in their published order,
// the label and the attack's category.
var ConnectionColumns = strings.Fields(`record
duration protocol_type service flag src_bytes dst_bytes land wrong_fragment urgent
hot num_failed_logins logged_in num_compromised root_shell su_attempted num_root
num_file_creations num_shells num_access_files num_outbound_cmds is_host_login is_guest_login
count srv_count serror_rate srv_serror_rate rerror_rate srv_rerror_rate same_srv_rate
diff_srv_rate srv_diff_host_rate
dst_host_count dst_host_srv_count dst_host_same_srv_rate dst_host_diff_srv_rate
dst_host_same_src_port_rate dst_host_srv_diff_host_rate dst_host_serror_rate
dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate
label category`)

// every sets the thinning of a label: each n-th of its records is kept, starting with the first.
// Labels without an entry are kept completely.
var every = map[string]int{
	"normal": 7, "smurf": 70, "neptune": 25,
	"back": 2, "satan": 2, "ipsweep": 2, "portsweep": 2, "warezclient": 2, "teardrop": 2,
}

// categories are the attack types of the data set's own task description: denial of service,
// probing, remote to local, user to root.
var categories = map[string]string{
	"normal": "normal",
	"back":   "dos", "land": "dos", "neptune": "dos", "pod": "dos", "smurf": "dos", "teardrop": "dos",
	"ipsweep": "probe", "nmap": "probe", "portsweep": "probe", "satan": "probe",
	"ftp_write": "r2l", "guess_passwd": "r2l", "imap": "r2l", "multihop": "r2l", "phf": "r2l",
	"spy": "r2l", "warezclient": "r2l", "warezmaster": "r2l",
	"buffer_overflow": "u2r", "loadmodule": "u2r", "perl": "u2r", "rootkit": "u2r",
}

// CutConnections reads the original comma-separated records (42 fields, no header, labels with a
// trailing dot) and writes the sample with a header. It returns the number of records in the
// sample.
func CutConnections(w io.Writer, original io.Reader) (int, error) {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, strings.Join(ConnectionColumns, ","))
	lines := bufio.NewScanner(original)
	seen := map[string]int{}
	kept, number := 0, 0
	for lines.Scan() {
		number++
		line := strings.TrimSuffix(lines.Text(), ".")
		cut := strings.LastIndexByte(line, ',')
		if fields := strings.Count(line, ",") + 1; fields != 42 {
			return kept, fmt.Errorf("line %d has %d fields, expected 42", number, fields)
		}
		label := line[cut+1:]
		category, known := categories[label]
		if !known {
			return kept, fmt.Errorf("line %d: unknown label %q", number, label)
		}
		step := max(1, every[label])
		if seen[label]++; (seen[label]-1)%step != 0 {
			continue
		}
		kept++
		fmt.Fprintf(out, "%d,%s,%s\n", number, line, category)
	}
	if err := lines.Err(); err != nil {
		return kept, fmt.Errorf("after line %d: %w", number, err)
	}
	return kept, out.Flush()
}
