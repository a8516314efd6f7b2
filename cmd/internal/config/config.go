package config

import (
	"unfold/cmd/internal/web"
	"unfold/ingest"
	"unfold/models/clusters"
	"unfold/models/fit"
)

// Config has every setting of the stage. The tags define the defaults, the help, and whether the
// short help shows a setting. Load fills it.
type Config struct {
	Source     Source     `key:"source"`
	Model      Model      `key:"model"`
	Reference  Reference  `key:"reference"`
	Refresh    Refresh    `key:"refresh"`
	Clusters   Clusters   `key:"clusters"`
	Sink       Sink       `key:"sink"`
	Registry   Registry   `key:"registry"`
	Moves      Moves      `key:"moves"`
	Explain    Explain    `key:"explain"`
	Drift      Drift      `key:"drift"`
	DeadLetter DeadLetter `key:"dead_letter"`
	Limits     Limits     `key:"limits"`
	Batch      Batch      `key:"batch"`
	Snapshots  Snapshots  `key:"snapshots"`
	Role       string     `key:"role" common:"true" default:"all" choices:"all,learn,embed" help:"Role of this process: all learns and places events. If one process is too little, one learns and announces its maps (learn), and any number of others place events on them (embed)."`
	Delivery   string     `key:"delivery" common:"true" default:"at-least-once" choices:"at-least-once,exactly-once" help:"Delivery guarantee: exactly-once writes outputs, dead letters and offsets in Kafka transactions, for consumers that read committed messages only; it needs one cluster, of version 2.5 or later."`
	State      string     `key:"state" common:"true" help:"Folder that keeps the map across restarts, as file:///path or a path. Empty: it is learnt again after a restart." placeholder:"URL"`
	Log        Log        `key:"log"`
	Trace      Trace      `key:"trace"`
	HTTP       string     `key:"http" common:"true" default:"127.0.0.1:8080" help:"Address of /livez, /readyz and /metrics; off for none." placeholder:"HOST:PORT"`
	HTTPHosts  []string   `key:"http_hosts" help:"Host names that the addresses of http and probe accept, in addition to localhost, IP addresses and the machine's name, such as that of a service or a proxy. If set, no other name is accepted, even with a token or page.public." placeholder:"NAME,..."`
	Probe      string     `key:"probe" help:"A second address for /livez, /readyz and /metrics, so that a flood at the address of http cannot delay probes." placeholder:"HOST:PORT"`
	Page       Page       `key:"page"`
	HTTPPprof  bool       `key:"http_pprof" help:"Serve profiles of this process as well, below /debug/pprof/; only on an address of this machine's own, as 127.0.0.1."`
	HTTPPlace  bool       `key:"http_place" help:"Answer POST /place, POST /decode and GET /model on the address of http as well: they return places of rows on the current map, and vectors at places. An address that other machines can reach needs page.token_file or page.public."`
	Headers    string     `key:"headers" default:"own" choices:"own,pass" help:"Headers of outputs: the stage's own and the trace of the input, or all others of the input as well."`
}

// Log sets the level and the format of the stage's log.
type Log struct {
	Level  string `key:"level" common:"true" default:"info" choices:"debug,info,warn,error" help:"The least level that is logged. debug also logs every delivery and every commit."`
	Format string `key:"format" common:"true" default:"text" choices:"text,json" help:"How it is logged, one line per event: text as key=value, json as an object."`
}

// Trace sets the destination of spans.
type Trace struct {
	Endpoint string `key:"endpoint" help:"OpenTelemetry collector (OTLP over HTTP) that gets a span for each message with a header traceparent. Empty: that of the environment's OTEL_EXPORTER_OTLP_ENDPOINT, or none." placeholder:"URL"`
}

// Source sets the source of events and the columns that form vectors.
type Source struct {
	Kafka    SourceKafka `key:"kafka"`
	Format   string      `key:"format" common:"true" default:"auto" choices:"auto,arrow,json,avro,protobuf" help:"Format of the messages: an Arrow IPC stream, a JSON object or a list of objects, a record in Avro or in Protobuf. auto recognises each message by its bytes, with a registry also by its schema."`
	Types    []string    `key:"types" help:"Types of columns, instead of the inferred ones: int, uint, float, bool, text, time, vector." placeholder:"COL:TYPE,..."`
	Schema   string      `key:"schema" help:"File with the schema of messages that name none: .avsc for Avro, .proto or a descriptor set for Protobuf." placeholder:"FILE"`
	Message  string      `key:"message" help:"Protobuf message of that schema. Default: the first that is not a field of another." placeholder:"NAME"`
	Truncate string      `key:"truncate" default:"refuse" choices:"refuse,empty" help:"What to do with a Debezium change that reports a truncated table (operation t): make it a dead letter, or empty the map."`
	Columns  `key:""`
}

// SourceKafka is the source topic.
type SourceKafka struct {
	Brokers  []string `key:"brokers" common:"true" help:"Brokers to start from." placeholder:"HOST:PORT,..." required:"true"`
	Topic    string   `key:"topic" common:"true" help:"Topic of the events, one or many a message." placeholder:"TOPIC" required:"true"`
	Group    string   `key:"group" common:"true" default:"unfold" help:"Consumer group; it holds the offsets." placeholder:"NAME"`
	Start    string   `key:"start" common:"true" default:"earliest" choices:"earliest,latest" help:"Where a group without offsets begins."`
	OnGap    string   `key:"on_gap" default:"fail" choices:"fail,continue" help:"What to do if the group's offset is no longer in the topic, because messages were deleted before they were read or the topic was created again: end, or continue with the oldest message. Either way it is counted and logged."`
	OnLost   string   `key:"on_lost_offsets" default:"continue" choices:"continue,fail,start" help:"What to do if brokers have dropped the group's offsets, but the state folder has them: continue there, end, or begin as source.kafka.start says."`
	ClientID string   `key:"client_id" default:"unfold" help:"Name of this program in the brokers' logs, metrics and quotas, for source and sink." placeholder:"NAME"`
	Rack     string   `key:"rack" help:"Location of this program (a rack, an availability zone), as in the brokers' broker.rack: it then reads from the nearest replica, if their replica.selector.class is RackAwareReplicaSelector." placeholder:"NAME"`
	// Timeouts of the consumer group.
	SessionTimeout    Duration `key:"session_timeout" default:"10s" help:"How long the group waits for a silent member before others get its partitions, within the broker's group.min.session.timeout.ms and group.max.session.timeout.ms." placeholder:"TIME"`
	HeartbeatInterval Duration `key:"heartbeat_interval" default:"1s" help:"How often a member sends a heartbeat, and so how soon it learns of a rebalance: at most a third of session_timeout." placeholder:"TIME"`
	RebalanceTimeout  Duration `key:"rebalance_timeout" default:"15s" help:"How long a member may take to finish its batch and to join again, at least 8s." placeholder:"TIME"`
	Security          `key:""`
}

// Columns selects the columns that form vectors and those that pass through.
type Columns struct {
	Vector      string        `key:"vector" common:"true" help:"The list column that is the vector. Default: the only one there is." placeholder:"COL"`
	Columns     []string      `key:"columns" common:"true" help:"Plain columns that form the vector: names, * for every number that is no id, patterns such as f*, -NAME to leave one out; options follow, as :log1p, :standardize, :weight=W, :time, :cyclic=24h, :tokens=256." placeholder:"COL,..."`
	Log1p       bool          `key:"log1p" common:"true" help:"Take sign(v) log(1+|v|) of every number."`
	Standardize bool          `key:"standardize" common:"true" help:"Bring every number to mean 0 and unit variance."`
	Vocabulary  int           `key:"vocabulary" default:"64" help:"Most categories of a text column that get an element each." placeholder:"N" min:"1"`
	Mixed       bool          `key:"mixed" help:"Let * include text and times: numbers and times are standardized, text becomes categories, so that all columns have about the same weight."`
	Metric      ingest.Metric `key:"metric" common:"true" default:"euclidean" help:"The distance between rows, which the model keeps."`
	Missing     string        `key:"missing" common:"true" default:"auto" choices:"auto,error,drop,mean" help:"Missing values (empty, NA, null, NaN, ...): drop leaves out such rows of files; mean inserts the column's mean, now and when the model places rows; auto lets kind gplvm estimate them in files, and is an error for other kinds; error refuses them."`
	ID          string        `key:"id" python:"id_column" common:"true" help:"Column that identifies a row." placeholder:"COL"`
	Keep        []string      `key:"keep" common:"true" help:"Columns that pass through." placeholder:"COL,..."`
	Label       string        `key:"label" python:"y" common:"true" help:"Column with the class; it passes through. Some values may be missing; a stream, or a fit with --classify, learns to predict the class of every row, with its probability." placeholder:"COL"`
	// Class probabilities belong to outputs, but are set next to the label that they depend on.
	ClassProbabilities bool   `key:"class_probabilities" help:"Where classes are predicted, write the probabilities of all of them, as a map from class to probability (class_probabilities), and their entropy in nats (class_entropy), which says how uncertain the class is."`
	InvalidText        string `key:"invalid_text" default:"refuse" choices:"refuse,replace" help:"What to do with text that passes through and is not UTF-8: refuse the row, or replace invalid bytes by U+FFFD."`
}

// Model has the settings that all kinds of models share, and those of each kind.
type Model struct {
	fit.Given `key:""`
	kinds     fit.Kinds
	own       map[string]fit.Settings // settings of each kind, by its name
}

// Page sets the contents of the page on the http address, and the access to it.
type Page struct {
	Points     int      `key:"points" default:"200000" help:"Newest events on the live map that a browser shows on the address of http; 0: no page. Each takes about 400 bytes." placeholder:"N" min:"0"`
	Point      string   `key:"point" default:"event" help:"Noun for one point of the map in the page's first sentence, such as connection or order." placeholder:"NAME"`
	TokenFile  string   `key:"token_file" help:"File with a token that every request needs, except for /livez, /readyz and /metrics: /?token=TOKEN in a browser, or Authorization: Bearer TOKEN. With a token, the page exists also on an address that other machines can reach." placeholder:"FILE"`
	Image      string   `key:"image" help:"The vectors are the pixels of pictures of this width and height, such as 28x28. Default: square pictures are recognized." placeholder:"WxH"`
	ImagesFrom []string `key:"images_from" help:"Origins, such as https://images.example.org, from which the page may load the pictures whose addresses are in columns that pass through. They see which pictures are looked at. Default: none." placeholder:"ORIGIN,..."`
	Public     bool     `key:"public" help:"Allow requests without a token, also from other machines. The page shows events: ids, columns that pass through, places."`
}

// ServesPage reports whether there is a page. On a public address it exists only with a token or
// page.public.
func (c *Config) ServesPage() bool {
	return c.Page.Points > 0 && c.HTTP != "" && c.HTTP != "off" && (web.Loopback(c.HTTP) || c.Page.TokenFile != "" || c.Page.Public)
}

// Reference bounds the reference set, from which the map is learnt.
type Reference struct {
	Min    int      `key:"min" common:"true" default:"2000" help:"Events to wait for before the first map." placeholder:"N" min:"11"`
	Size   int      `key:"size" common:"true" default:"50000" help:"Most distinct events that the map is learnt from; equal ones count as one." placeholder:"N" min:"11"`
	Policy string   `key:"policy" common:"true" default:"reservoir" choices:"reservoir,window,coverage" help:"Events to learn from: a uniform sample of all so far, the newest, or some from every region (evicted where they are dense)."`
	MaxAge Duration `key:"max_age" common:"true" default:"0s" help:"Age, by message times, beyond which events are evicted; 0s: no limit." placeholder:"TIME"`
}

// Refresh sets when and how the map is refreshed.
type Refresh struct {
	Every  Duration    `key:"every" common:"true" default:"10s" help:"Shortest time between two maps; 0s: the first map stays." placeholder:"TIME"`
	New    Share       `key:"new" default:"1%" help:"Share of the reference set that must be new or evicted before a new map is learnt." placeholder:"SHARE"`
	Steps  int         `key:"steps" default:"5" help:"Steps of learning in an ordinary refresh." placeholder:"N" min:"0"`
	Anchor NonNegative `key:"anchor" default:"auto" help:"How firmly an ordinary refresh holds points where they are, 0 not at all; auto is 0.1, with gaussian tails 10." placeholder:"X"`
	Gentle Every       `key:"gentle" default:"auto" help:"Every N-th refresh points may move a little more: a number, never, or auto, which is every fifth." placeholder:"N"`
	Major  string      `key:"major" default:"auto" choices:"auto,never,always" help:"When the whole map is learnt: auto is after growth by half (below 20,000 points by a fifth to a tenth), after novel events, and now and then; always learns every map from nothing, each in a map_epoch of its own."`
	Frame  string      `key:"frame" default:"keep" choices:"keep,new" help:"The coordinate frame of a major refresh: keep learns the map near the previous one, so that points that stay hardly move; new learns as a fit does, in a new frame, and begins a new map_epoch."`
}

// Clusters sets how clusters are found on every map.
type Clusters struct {
	MinSize    int    `key:"min_size" common:"true" default:"0" help:"Fewest points of a cluster. Clusters are found on every map and keep their ids; outputs get the columns cluster (-1: none), cluster_probability and cluster_outlier. 0: no clusters." placeholder:"N" min:"0"`
	MinSamples Auto   `key:"min_samples" default:"auto" help:"The density at a point is measured to its M-th nearest other point: larger values smooth, and leave more noise. auto is min_size." placeholder:"M"`
	In         string `key:"in" default:"map" choices:"map,input" help:"Where clusters are found: on the map, or among the vectors, for vectors of few columns. Clusters of vectors are updated as events come and go."`
	Selection  string `key:"selection" default:"eom" choices:"eom,leaf" help:"Which clusters of the hierarchy are chosen: those that last longest (excess of mass), or the smallest."`
}

// Values of Clusters.In.
const (
	InMap   = "map"
	InInput = "input"
)

// Settings returns the settings of package clusters. MinSize is 0 if no clusters are requested.
func (c Clusters) Settings() clusters.Settings {
	if c.MinSize == 0 {
		return clusters.Settings{}
	}
	return clusters.Settings{MinSize: c.MinSize, MinSamples: int(c.MinSamples), Selection: clusters.Selection(c.Selection)}
}

// Sink sets the destination and the format of outputs.
type Sink struct {
	Kafka      SinkKafka `key:"kafka"`
	Format     string    `key:"format" common:"true" default:"same" choices:"same,arrow,json,avro,protobuf" help:"Format of outputs: same as the input message's, or always one format. Avro and Protobuf need a registry."`
	Pass       bool      `key:"pass" help:"Write the original record again, in JSON or Avro, with the place and its columns as further fields, instead of the kept columns."`
	Subject    string    `key:"subject" default:"topic" choices:"topic,record,topic-record" help:"Subject that schemas of outputs are registered under: TOPIC-value, the record's name, or TOPIC-RECORD."`
	RecordName string    `key:"record_name" help:"Full name of the records of outputs in Avro. With subject record it is the subject, so that two stages need two names. Default: unfold.Place." placeholder:"NAMESPACE.NAME"`
	LogLik     bool      `key:"loglik" help:"Add a column loglik: the log-likelihood of each event under the model, given its place. The lower, the less the event resembles the learnt ones. Models of kind lvm and gplvm have it."`
	Moves      string    `key:"moves" help:"Topic of moves: the new places of reference points that have moved, keyed by id. Empty: none." placeholder:"TOPIC"`
	Clusters   string    `key:"clusters" help:"Topic of clusters: the changes of each with every map, keyed by its id, with a tombstone when it ends. It needs clusters.min_size. Empty: none." placeholder:"TOPIC"`
}

// Moves sets when moved points are emitted.
type Moves struct {
	Threshold Share `key:"threshold" default:"1%" help:"Share of the map's diameter that a point moves before its move is emitted." placeholder:"SHARE"`
}

// Explain sets which novel events are explained.
type Explain struct {
	Above   Share `key:"above" default:"99%" help:"Explain events with a novelty above this percentile, 0 to explain all." placeholder:"SHARE"`
	Columns int   `key:"columns" default:"0" help:"Most columns to list for an explained event, those that carry most of its novelty, in addition to its nearest reference points. 0: no event is explained, and outputs have no columns reasons and neighbors." placeholder:"N" min:"0"`
}

// Drift sets how the newest events are compared with the reference set, if at all.
type Drift struct {
	Window     int `key:"window" default:"0" help:"Newest events to compare with a sample of the map's points, ten times as many, to detect a change of their distribution. 200 is a good number. 0: off." placeholder:"N" min:"0"`
	Neighbors  int `key:"neighbors" default:"10" help:"Nearest neighbours of each that are asked which of both it is." placeholder:"N" min:"1"`
	FalseAlarm int `key:"false_alarm" default:"10000" help:"Events until a false alarm, on average, where nothing changes." placeholder:"N" min:"1"`
}

// SinkKafka is the output topic.
type SinkKafka struct {
	Brokers []string `key:"brokers" help:"Brokers of the output and of dead letters. Default: those of the source." placeholder:"HOST:PORT,..."`
	Topic   string   `key:"topic" common:"true" help:"Topic of the places, one message for each that came in." placeholder:"TOPIC" required:"true"`
	// docs/decisions/compression.md compares the codecs.
	Compression string `key:"compression" default:"lz4" choices:"none,gzip,snappy,lz4,zstd" help:"How outputs, dead letters and moves are compressed; zstd makes them smaller than lz4 and takes two to three times as long. The compression.type of a topic takes precedence."`
	TooLarge    string `key:"too_large" default:"split" choices:"split,dead-letter" help:"What to do with an output that is too large for its topic, even compressed: split writes it in numbered parts of some rows each; dead-letter makes its message a dead letter."`
	Security    `key:""`
}

// Registry is the schema registry for messages.
type Registry struct {
	URL          string `key:"url" common:"true" help:"Schema registry with Confluent's API, as http://localhost:8081; several addresses of one are asked in turn. Empty: there is none." placeholder:"URL,..."`
	User         string `key:"user" help:"User to authenticate as." placeholder:"NAME"`
	PasswordFile string `key:"password_file" help:"File with the user's password; a line's end after it does not count." placeholder:"FILE"`
	PasswordEnv  string `key:"password_env" help:"Variable of the environment with the user's password." placeholder:"NAME"`
	TLS          TLS    `key:"tls"`
}

// Security sets the security of connections to brokers. Settings contain only the locations of
// secrets, so that no secret appears on a command line, in a log or in a dump.
type Security struct {
	TLS  TLS  `key:"tls"`
	SASL SASL `key:"sasl"`
}

// TLS encrypts connections.
type TLS struct {
	Enable     bool   `key:"enable" help:"Connect with TLS, 1.2 or later. Naming any of the files does so, too."`
	CA         string `key:"ca" help:"File with the certificates (PEM) that verify the brokers'. Default: the system's." placeholder:"FILE"`
	Cert       string `key:"cert" help:"File with this client's certificate (PEM), for brokers that ask for one." placeholder:"FILE"`
	Key        string `key:"key" help:"File with its key (PEM)." placeholder:"FILE"`
	ServerName string `key:"server_name" help:"Name that the brokers' certificates are for. Default: their host." placeholder:"NAME"`
}

// SASL authenticates connections.
type SASL struct {
	Mechanism    string `key:"mechanism" default:"none" choices:"none,plain,scram-sha-256,scram-sha-512,oauthbearer,aws-msk-iam" help:"How to authenticate; plain and oauthbearer send password or token as they are, so use TLS with them."`
	User         string `key:"user" help:"User to authenticate as." placeholder:"NAME"`
	PasswordFile string `key:"password_file" help:"File with the user's password; a line's end after it does not count." placeholder:"FILE"`
	PasswordEnv  string `key:"password_env" help:"Variable of the environment with the user's password." placeholder:"NAME"`
	TokenFile    string `key:"token_file" help:"With oauthbearer: file with the access token; it is read again for each connection." placeholder:"FILE"`
	TokenCommand string `key:"token_command" help:"With oauthbearer: command for the shell that prints an access token; it runs again before the token expires, or for each connection if the token does not say when that is." placeholder:"COMMAND"`
	Extensions   string `key:"extensions" help:"With oauthbearer: what goes to the broker beside the token." placeholder:"NAME=VALUE,..."`
	Region       string `key:"region" help:"With aws-msk-iam: the cluster's region. Default: that of the environment (AWS_REGION)." placeholder:"NAME"`
}

// Limits bound the memory and the time of messages.
type Limits struct {
	MessageMemory Size     `key:"message_memory" default:"256MiB" help:"Most memory that decoding one message may take; one that needs more becomes a dead letter." placeholder:"SIZE"`
	MessageTime   Duration `key:"message_time" default:"30s" help:"Most time that decoding one message may take; one that needs more becomes a dead letter." placeholder:"TIME"`
	Queue         Size     `key:"queue" default:"64MiB" help:"Messages that have been read and not yet delivered, all partitions together; a slow sink holds back reading." placeholder:"SIZE"`
	Waiting       Size     `key:"waiting" default:"256MiB" help:"Messages that wait for the first map; those beyond are read again when it is there." placeholder:"SIZE"`
}

// Batch sets the number of messages that are placed, written and acknowledged together.
type Batch struct {
	Messages Auto     `key:"messages" default:"auto" help:"Most messages of a partition that are placed and written together; with exactly-once delivery each batch is a transaction. auto is 512, with exactly-once 4096." placeholder:"N"`
	Bytes    Size     `key:"bytes" default:"4MiB" help:"Most bytes of them; a larger message is a batch of its own." placeholder:"SIZE"`
	Linger   Duration `key:"linger" default:"5ms" help:"Pause before a partition that was read to its end is read again, so that batches become larger." placeholder:"TIME"`
}

// Snapshots sets how maps are passed from the learner to the embedders.
type Snapshots struct {
	Store string `key:"store" common:"true" help:"Store of maps, for roles learn and embed: file:///path (an existing folder that all processes see; ?create=true creates it) or s3://bucket/prefix, with ?endpoint=http://host:port for other servers than Amazon's." placeholder:"URL"`
	Topic string `key:"topic" common:"true" help:"Topic that maps are announced on, for roles learn and embed: one partition, compacted, on the source's brokers." placeholder:"TOPIC"`
	Name  string `key:"name" help:"Name of this fleet's maps in the store and the topic. Default: the source's group." placeholder:"NAME"`
	Keep  int    `key:"keep" default:"10" help:"Versions of the map that stay in the store." placeholder:"N" min:"2"`
}

// DeadLetter sets the topic of messages that cannot be read.
type DeadLetter struct {
	Topic string `key:"topic" common:"true" help:"Topic of messages that cannot be read. Empty: the first one ends the stage." placeholder:"TOPIC"`
}
