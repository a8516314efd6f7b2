package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"unfold/cmd/internal/web"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/setting"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/stream/view"
)

// complainer records an error about a key, with a hint.
type complainer = func(key, hint, format string, args ...any)

// Validate returns everything that prevents the stage from running with these settings, as an
// *Error.
func (c *Config) Validate() error {
	var problems []Problem
	complain := func(key, hint, format string, args ...any) {
		problems = append(problems, Problem{Key: key, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	c.checkRequired(complain)
	c.checkBrokers(complain)
	if p, wrong := c.ModelProblem(); wrong {
		problems = append(problems, p)
	}
	c.checkEvents(complain)
	c.checkClusters(complain)
	c.checkFormats(complain)
	c.checkRegistry(complain)
	c.checkTopics(complain)
	c.checkExplain(complain)
	c.checkLogLik(complain)
	c.checkDrift(complain)
	c.checkFleet(complain)
	c.checkPlaces(complain)
	if len(problems) > 0 {
		return &Error{problems}
	}
	return nil
}

func (c *Config) checkRequired(complain complainer) {
	for _, k := range keysOf(c.Model.kinds) {
		if k.Required && k.Text(c) == "" {
			complain(k.Path, fmt.Sprintf("give it in the file, as --%s or as %s", k.Flag(), k.Env()), "missing")
		}
	}
}

// checkBrokers checks the addresses and the security of brokers.
func (c *Config) checkBrokers(complain complainer) {
	check := func(key string, brokers []string) {
		for _, b := range brokers {
			if err := address(b); err != nil {
				complain(key, "", "%q: %v", b, err)
			}
		}
	}
	check("source.kafka.brokers", c.Source.Kafka.Brokers)
	check("sink.kafka.brokers", c.Sink.Kafka.Brokers)
	c.Source.Kafka.checkTimes(complain)
	for key, sec := range map[string]Security{"source.kafka": c.Source.Kafka.Security, "sink.kafka": c.Sink.Kafka.Security} {
		if setting, what, wrong := sec.problem(); wrong {
			complain(key+"."+setting, "", "%s", what)
		}
	}
	if len(c.Sink.Kafka.Brokers) == 0 && c.Sink.Kafka.Security != (Security{SASL: SASL{Mechanism: "none"}}) {
		complain("sink.kafka", "name sink.kafka.brokers, or leave it out", "TLS and SASL are those of the source, as its brokers are")
	}
}

// checkEvents checks the settings of events and reference set.
func (c *Config) checkEvents(complain complainer) {
	if c.Source.Vector != "" && len(c.Source.Columns.Columns) > 0 {
		complain("source.vector", "keep one of them", "both a vector column and plain columns are named")
	}
	if c.Source.Missing == "drop" {
		complain("source.missing", "choose mean, or leave it out: such events become dead letters", "a stage answers every event, and drop leaves rows out")
	}
	if c.Source.Metric == ingest.Haversine && c.Source.Vector != "" {
		complain("source.metric", "name the columns of latitude and longitude: source.columns", "haversine goes with two plain columns, not with a vector column")
	}
	if c.Source.ClassProbabilities && c.Source.Label == "" {
		complain("source.class_probabilities", "name the column of labels: source.label", "no classes are predicted")
	}
	if c.Source.ClassProbabilities {
		if err := emit.CheckClassShares(append([]string{c.Source.Label}, c.Source.Keep...)); err != nil {
			complain("source.keep", "", "%v", err)
		}
	}
	if c.Reference.Size < c.Reference.Min {
		complain("reference.size", "", "%d is smaller than reference.min, %d", c.Reference.Size, c.Reference.Min)
	}
	if c.Model.Spec().Supervised() && c.Source.Label == "" {
		complain("model.supervision", "name the column of labels: source.label", "labels are to take part in learning, and there are none")
	}
	if k := max(c.Model.Neighbors[1], 9); c.Reference.Min <= k+1 {
		complain("reference.min", "", "%d events are too few for %d neighbours each; it must be at least %d", c.Reference.Min, k, k+2)
	}
}

func (c *Config) checkClusters(complain complainer) {
	if c.Clusters.MinSize == 0 {
		if c.Clusters != (Clusters{Selection: string(clusters.ExcessOfMass), In: InMap}) {
			complain("clusters.min_size", "set it, to 50 for a start, or leave the others out", "clusters are described, and none are sought")
		}
		return
	}
	_, err := c.Clusters.Settings().Filled()
	var wrong *models.SettingError
	if errors.As(err, &wrong) {
		complain("clusters."+wrong.Name, "", "%s", wrong.Problem)
	}
	if err := emit.CheckClusters(append([]string{c.Source.Label}, c.Source.Keep...)); err != nil {
		complain("clusters.min_size", "", "%v", err)
	}
}

// defaultAbove is the default of explain.above.
const defaultAbove = 0.99

// checkExplain reports settings of explanations without effect.
func (c *Config) checkExplain(complain complainer) {
	switch x := c.Explain; {
	case x.Columns == 0 && x.Above != defaultAbove:
		complain("explain.columns", "say how many columns to name of an event, as 5, or leave explain.above out", "no event is explained without it")
	case x.Columns > 0 && x.Above == 1:
		complain("explain.above", "say less, as 0.99", "no percentile is above %v: no event would be explained", x.Above)
	}
	if c.Explain.Columns > 0 {
		if err := emit.CheckReasons(append([]string{c.Source.Label}, c.Source.Keep...)); err != nil {
			complain("source.keep", "", "%v", err)
		}
	}
}

// checkLogLik reports a column of likelihoods that would be empty or have the name of another
// column.
func (c *Config) checkLogLik(complain complainer) {
	if !c.Sink.LogLik {
		return
	}
	if k, err := c.Model.kinds.Find(c.Model.Spec().Kind); err == nil && !k.Likely {
		complain("sink.loglik", "leave it out, or choose kind lvm or gplvm", "models of kind %s have no likelihood of new rows", k.Name)
	}
	if err := emit.CheckLogLik(append([]string{c.Source.Label}, c.Source.Keep...)); err != nil {
		complain("source.keep", "", "%v", err)
	}
}

// checkTopics reports topics that are used twice, and settings that a topic needs.
func (c *Config) checkTopics(complain complainer) {
	source, sink, dead, moves := c.Source.Kafka.Topic, c.Sink.Kafka.Topic, c.DeadLetter.Topic, c.Sink.Moves
	if sink != "" && sink == source && len(c.Sink.Kafka.Brokers) == 0 {
		complain("sink.kafka.topic", "name another topic", "it is the source's own topic: the stage would read what it writes")
	}
	if dead != "" && (dead == source || dead == sink) {
		complain("dead_letter.topic", "name another topic", "%q is already the source's or the sink's", dead)
	}
	switch {
	case moves == "":
	case moves == source || moves == sink || moves == dead:
		complain("sink.moves", "name another topic", "%q is already the source's, the sink's or that of dead letters", moves)
	case c.Source.ID == "":
		complain("sink.moves", "name the column that holds the events' ids, as source.id", "moves are keyed by ids")
	}
	if moves != "" && c.Moves.Threshold == 0 {
		complain("moves.threshold", "", "0%% would emit every point after every refresh; it must be more")
	}
	switch groups := c.Sink.Clusters; {
	case groups == "":
	case groups == source || groups == sink || groups == dead || groups == moves:
		complain("sink.clusters", "name another topic", "%q is already another one of the stage's", groups)
	case c.Clusters.MinSize == 0:
		complain("sink.clusters", "set clusters.min_size, to 50 for a start", "no clusters are sought")
	}
	if c.Delivery == exactlyOnce && len(c.Sink.Kafka.Brokers) > 0 {
		complain("delivery", "leave sink.kafka.brokers out, or deliver at-least-once", "exactly-once is possible on one cluster only, and the sink has brokers of its own")
	}
}

// checkPlaces checks the state folder and the addresses of the stage.
func (c *Config) checkPlaces(complain complainer) {
	if _, err := c.StateFolder(); err != nil {
		complain("state", "", "%v", err)
	}
	if c.HTTP != "" && c.HTTP != "off" {
		if err := address(c.HTTP); err != nil {
			complain("http", "write HOST:PORT, :PORT or off", "%q: %v", c.HTTP, err)
		}
	}
	if c.Probe != "" {
		if err := address(c.Probe); err != nil {
			complain("probe", "write HOST:PORT or :PORT", "%q: %v", c.Probe, err)
		}
	}
	if _, err := view.ParseImage(c.Page.Image); err != nil {
		complain("page.image", "write WIDTHxHEIGHT", "%v", err)
	}
	if err := view.CheckOrigins(c.Page.ImagesFrom); err != nil {
		complain("page.images_from", "write scheme, host and port only", "%v", err)
	}
	switch asked := (web.Access{Token: c.Page.TokenFile, Public: c.Page.Public}); {
	case !c.HTTPPlace:
	case c.HTTP == "" || c.HTTP == "off":
		complain("http_place", "set http to HOST:PORT, or leave it out", "there is no address to answer on: http is off")
	case asked.Check(c.HTTP) != nil:
		complain("http_place", "name a file with a token, page.token_file, or let everyone ask: page.public: true", "others than this machine reach %s", c.HTTP)
	}
	if c.HTTPPprof && !web.Loopback(c.HTTP) {
		complain("http_pprof", "set http to 127.0.0.1:PORT, or leave it out", "profiles are for this machine alone, and http is %q", c.HTTP)
	}
	if _, err := c.Trace.URL(); err != nil {
		complain("trace.endpoint", "write http://HOST:4318 or https://HOST:PORT", "%v", err)
	}
}

// URL returns the collector's address for spans: /v1/traces below the endpoint, as with
// OpenTelemetry's own variable. It returns "" without an endpoint.
func (t Trace) URL() (string, error) {
	if t.Endpoint == "" {
		return "", nil
	}
	u, err := url.Parse(t.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is not the URL of a collector", t.Endpoint)
	}
	return u.JoinPath("v1/traces").String(), nil
}

// leastRebalance is the time that a member needs to place, write and commit what it has read:
// stream.Settings.DrainTimeout and CommitTimeout, and a second for the network.
const leastRebalance = 8 * time.Second

// checkTimes reports conflicts between the timeouts of the group.
func (k SourceKafka) checkTimes(complain func(key, hint, format string, args ...any)) {
	session, heartbeat, rebalance := time.Duration(k.SessionTimeout), time.Duration(k.HeartbeatInterval), time.Duration(k.RebalanceTimeout)
	switch {
	case session < time.Second:
		complain("source.kafka.session_timeout", "", "%v is shorter than 1s", session)
	case heartbeat <= 0 || heartbeat > session/3:
		complain("source.kafka.heartbeat_interval", "", "%v is not between 0 and a third of session_timeout, %v: one call that gets lost would cost the partitions", heartbeat, session)
	}
	if rebalance < leastRebalance {
		complain("source.kafka.rebalance_timeout", "", "%v is shorter than the %v in which a member finishes what it has read", rebalance, leastRebalance)
	}
}

// On reports whether connections use TLS.
func (t TLS) On() bool { return t != TLS{} }

// problem returns the first conflict between the security settings.
func (s Security) problem() (setting, what string, wrong bool) {
	a := s.SASL
	switch {
	case (s.TLS.Cert == "") != (s.TLS.Key == ""):
		return "tls.cert", "a certificate needs its key, and a key its certificate", true
	case a.Mechanism == "none" && a != SASL{Mechanism: "none"}:
		return "sasl.mechanism", "a user, password or token is named, and no mechanism", true
	}
	return a.problem()
}

// problem returns the first setting that is missing or conflicts with the mechanism.
func (a SASL) problem() (setting, what string, wrong bool) {
	const bearer, msk = "oauthbearer", "aws-msk-iam"
	password := a.User != "" || a.PasswordFile != "" || a.PasswordEnv != ""
	token := a.TokenFile != "" || a.TokenCommand != "" || a.Extensions != ""
	switch {
	case a.Mechanism == "none" || a.Mechanism == "":
		return "", "", false
	case a.Region != "" && a.Mechanism != msk:
		return "sasl.region", "a region goes with " + msk + ", not with " + a.Mechanism, true
	case token && a.Mechanism != bearer:
		return "sasl.mechanism", "a token goes with " + bearer + ", not with " + a.Mechanism, true
	case password && (a.Mechanism == bearer || a.Mechanism == msk):
		return "sasl.mechanism", "user and password do not go with " + a.Mechanism, true
	case a.Mechanism == msk:
		return "", "", false
	case a.Mechanism == bearer && (a.TokenFile == "") == (a.TokenCommand == ""):
		return "sasl.token_file", "name either a file or, with token_command, a command that prints the token", true
	case a.Mechanism == bearer:
		if _, err := a.ExtensionMap(); err != nil {
			return "sasl.extensions", err.Error(), true
		}
		return "", "", false
	case a.User == "":
		return "sasl.user", "missing", true
	case (a.PasswordFile == "") == (a.PasswordEnv == ""):
		return "sasl.password_file", "name either a file or, with password_env, a variable that holds the password", true
	}
	return "", "", false
}

// exactlyOnce is the value of Delivery for transactions.
const exactlyOnce = "exactly-once"

// ExactlyOnce reports whether this process delivers in transactions. A learner delivers nothing.
func (c *Config) ExactlyOnce() bool { return c.Delivery == exactlyOnce && c.Role != RoleLearn }

// StateFolder returns the folder of the setting state, or "" if it is empty.
func (c *Config) StateFolder() (string, error) {
	scheme, rest, isURL := strings.Cut(c.State, "://")
	if !isURL {
		return c.State, nil
	}
	if scheme != "file" {
		return "", fmt.Errorf("%s:// is not known here; write file:///path or a path", scheme)
	}
	u, err := url.Parse(c.State)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", fmt.Errorf("%q names no folder; write file:///path (three slashes) or a path", "file://"+rest)
	}
	return filepath.FromSlash(u.Path), nil
}

func address(hostPort string) error {
	_, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return fmt.Errorf("not HOST:PORT")
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("%q is no port", port)
	}
	return nil
}

// ExtensionMap returns the SASL extensions by name.
func (a SASL) ExtensionMap() (map[string]string, error) {
	m := map[string]string{}
	for _, part := range setting.SplitList(a.Extensions) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok || m[name] != "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE, or comes twice", part)
		}
		m[name] = value
	}
	return m, nil
}
