//go:build linux

package chaos

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"unfold/internal/testkit/tier"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
)

// attack is a running stage whose producers, and whose broker if it has a proxy, are hostile.
type attack struct {
	t             *testing.T
	client        *kafkatest.Client
	writer        *kgo.Client
	stage         *process
	configuration string
	decoder       *format.Decoder
	rng           *rand.Rand
	// in are the inputs. Those of a batch that the broker keeps as it is have no value.
	in   []stream.Message
	bad  int // the number of inputs that cannot be read
	good int
	peak int64
}

// Schema ids of the registry. Those from 3 on are of hostile schemas.
const (
	avroID = 1 + iota
	protobufID
	nullsID
	deepID
	unreadableID
	unknownID
)

// hostileMemory is the bound of a stage's memory, as that of TestInflating.
const hostileMemory = queueLimit + messageLimit + pageMemory + spareMemory

// attacked starts a stage that reads from the address, while the broker listens on another.
func attacked(t *testing.T, brokers string, b *kafkatest.Embedded) *attack {
	t.Helper()
	a := &attack{t: t, client: b.Client(t), rng: rand.New(rand.NewPCG(4, 6))}
	large := map[string]string{"max.message.bytes": "500000000"}
	for _, topic := range []string{"events", "places", "dead"} {
		a.client.Create(t, topic, 1, 1, large)
	}
	var err error
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(0, 9) // later ones name topics by ids
	a.writer, err = kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.ProducerBatchMaxBytes(400<<20), kgo.BrokerMaxWriteBytes(500<<20),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0), kgo.MaxVersions(versions), kgo.DisableIdempotentWrite(),
		kgo.Dialer(func(ctx context.Context, network, _ string) (net.Conn, error) { // the broker names its proxy
			return (&net.Dialer{}).DialContext(ctx, network, b.Addr())
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.writer.Close)

	schemas := registrytest.StartFake(t)
	for id, n := range map[int]format.Name{avroID: format.Avro, protobufID: format.Protobuf} {
		s := formattest.Schema(n, formattest.Event{ID: ""})
		schemas.Seed(fmt.Sprintf("schema-%d", id), id, s.Type, s.Text)
	}
	const head = `{"type":"record","name":"Event","fields":[{"name":"id","type":"string"},{"name":"v","type":{"type":"array","items":"float"}},`
	schemas.Seed("nulls", nullsID, registry.Avro, head+`{"name":"z","type":{"type":"array","items":"null"}}]}`)
	schemas.Seed("deep", deepID, registry.Avro, head+`{"name":"z","type":["null","Event"]}]}`)
	schemas.Seed("unreadable", unreadableID, registry.Avro, `{"type":"record","name":"\u001b]0;pwned\u0007","fields":[{"name":"\u001b[2J","type":"nothing"}]}`)
	if a.decoder, err = format.NewDecoder(format.Decoding{Registry: schemas.Client()}); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	a.configuration = filepath.Join(dir, "unfold.yaml")
	if err := os.WriteFile(a.configuration, fmt.Appendf(nil, `
source: {kafka: {brokers: [%q], topic: events, group: %s}, vector: v, id: %s}
sink: {kafka: {topic: places}}
dead_letter: {topic: dead}
registry: {url: %q}
model: {steps: 15, threads: 1}
reference: {min: 400, size: %d}
refresh: {every: 0s}
state: %q
http: 127.0.0.1:0
page: {points: %d}
`, brokers, group, Column, schemas.URL(), referencePoint, filepath.Join(dir, "state"), pagePoints), 0o600); err != nil {
		t.Fatal(err)
	}
	a.stage = launch(t, a.configuration)
	return a
}

// events returns a readable message of a format with n events.
func (a *attack) events(form format.Name, ids ...string) []byte {
	a.t.Helper()
	events := make([]formattest.Event, len(ids))
	for i := range events {
		v := make([]float32, 8)
		for j := range v {
			v[j] = float32(a.rng.NormFloat64()) + 5*float32(a.rng.IntN(2)*(j%2))
		}
		events[i] = formattest.Event{ID: ids[i], Vector: v}
	}
	value, err := formattest.Message(form, map[format.Name]int{format.Avro: avroID, format.Protobuf: protobufID}[form], events...)
	if err != nil {
		a.t.Fatal(err)
	}
	return value
}

// send writes a record. A bad one has to become a dead letter.
func (a *attack) send(r *kgo.Record, bad bool) {
	a.t.Helper()
	r.Topic, r.Timestamp = "events", time.Now().Truncate(time.Millisecond)
	if err := a.writer.ProduceSync(a.t.Context(), r).FirstErr(); err != nil {
		a.t.Fatal(err)
	}
	m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "events"}, Offset: r.Offset, Key: r.Key, Value: r.Value, Time: r.Timestamp.UTC()}
	for _, h := range r.Headers {
		m.Headers = append(m.Headers, stream.Header{Key: h.Key, Value: h.Value})
	}
	if bad {
		m.Value = digest(r.Value)
		a.bad++
	} else {
		a.good++
	}
	a.in = append(a.in, m)
}

// sendGood writes a readable event, of each format in turn.
func (a *attack) sendGood() {
	forms := formattest.Formats()
	a.send(&kgo.Record{Key: []byte("good"), Value: a.events(forms[a.good%len(forms)], fmt.Sprintf("good %d", a.good))}, false)
}

// sendBatch writes a batch as it is. Its last offset becomes the position of its dead letter.
func (a *attack) sendBatch(b []byte) {
	a.t.Helper()
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = -1, 60_000
	p := kmsg.NewProduceRequestTopicPartition()
	p.Records = b
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic, topic.Partitions = "events", append(topic.Partitions, p)
	req.Topics = append(req.Topics, topic)
	answer, err := req.RequestWith(a.t.Context(), a.writer)
	if err != nil {
		a.t.Fatal(err)
	}
	of := answer.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(of.ErrorCode); err != nil {
		a.t.Fatal(err)
	}
	a.bad++
	a.in = append(a.in, stream.Message{TopicPartition: stream.TopicPartition{Topic: "events"}, Offset: of.BaseOffset + int64(binary.BigEndian.Uint32(b[23:]))})
}

// settle waits until the stage has committed everything, and watches its memory.
func (a *attack) settle(what string) {
	a.t.Helper()
	_, end := a.client.Bounds(a.t, "events")
	for by := time.Now().Add(soon); ; time.Sleep(20 * time.Millisecond) {
		if !a.stage.alive() || time.Now().After(by) {
			a.t.Fatalf("after %s it ended, or is not done yet; at most %d MB:\n%s", what, a.peak>>20, a.stage.log)
		}
		a.peak = max(a.peak, highWater(a.t, a.stage.cmd.Process.Pid))
		if a.client.Committed(a.t, group, "events")[0] >= end[0] {
			a.t.Logf("%s: at most %d MB", what, a.peak/1e6)
			return
		}
	}
}

// judge stops the stage and compares inputs, outputs and dead letters.
func (a *attack) judge(addr string) {
	a.stage.stop(a.t)
	letters := digested(a.t, addr, "dead", a.client, true)
	reasons := map[int64]string{}
	for i := range letters {
		p, err := letterOf(&letters[i])
		if err != nil {
			a.t.Error(err)
		}
		text, _ := letters[i].Header("__connect.errors.exception.message")
		reasons[p.Offset] = string(text)
		for k := range a.in { // the broker sets offsets in a batch, which is the letter
			if a.in[k].Offset == p.Offset && a.in[k].Value == nil && a.in[k].Time.IsZero() {
				a.in[k].Value, a.in[k].Time = letters[i].Value, letters[i].Time
			}
		}
	}
	v := Judge(Evidence{In: a.in, Out: digested(a.t, addr, "places", a.client, false), Letters: letters, ID: Column, Decoder: a.decoder})
	a.t.Logf("%v; at most %d MB, the bound is %d MB", v, a.peak/1e6, int64(hostileMemory)/1e6)
	for _, c := range v.Complaints {
		a.t.Error(c)
	}
	if v.Placed != a.good || v.Letters != a.bad {
		a.t.Errorf("%d of %d good messages are placed, %d of %d bad ones are dead letters", v.Placed, a.good, v.Letters, a.bad)
	}
	for offset, why := range reasons {
		if strings.TrimSpace(why) == "" {
			a.t.Errorf("the dead letter of offset %d has no reason", offset)
		}
	}
	if a.peak > hostileMemory {
		a.t.Errorf("it took %d MB", a.peak/1e6)
	}
	a.escaped("the log", a.stage.log.String())
}

// escaped checks that a text has no control characters but line ends.
func (a *attack) escaped(what, text string) {
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
		a.t.Errorf("%s has a control character: %q", what, text[max(0, i-100):min(len(text), i+100)])
	}
}

// title is a text that sets the title of a terminal, clears it, and begins a line of its own.
const title = "\x1b]0;pwned\x07\x1b[2J\r\nlevel=error msg=forged \u009b31m"

// hostileRecords are records that the stage has to survive. Those that are not bad are placed.
func hostileRecords(a *attack) (all []hostileRecord) {
	good := func() []byte { return a.events(format.JSON, fmt.Sprintf("odd %d", len(all))) }
	add := func(name string, bad bool, r kgo.Record) { all = append(all, hostileRecord{name, bad, r}) }
	headers := make([]kgo.RecordHeader, 5000)
	for i := range headers {
		headers[i] = kgo.RecordHeader{Key: fmt.Sprint("h", i), Value: []byte(title)}
	}
	add("thousands of headers", false, kgo.Record{Value: good(), Headers: headers})
	add("thousands of headers of a bad record", true, kgo.Record{Value: []byte("no record"), Headers: headers})
	add("a header of a megabyte", false, kgo.Record{Value: good(), Headers: []kgo.RecordHeader{{Key: title, Value: bytes.Repeat([]byte{27}, 1<<20)}}})
	add("a header's name of a megabyte", false, kgo.Record{Value: good(), Headers: []kgo.RecordHeader{{Key: strings.Repeat(title, 1<<20/len(title))}}})
	add("headers of the stage's own", true, kgo.Record{Value: []byte("x"), Headers: []kgo.RecordHeader{{Key: "__connect.errors.offset", Value: []byte("-1")}, {Key: stream.HeaderMapID, Value: []byte(title)}}})
	add("headers of the stage's own, placed", false, kgo.Record{Value: good(), Headers: []kgo.RecordHeader{{Key: stream.HeaderMapID, Value: []byte(title)}, {Key: "unfold-part", Value: []byte("9/9")}}})
	add("a null key and value", true, kgo.Record{})
	add("a tombstone with a hostile key", false, kgo.Record{Key: []byte(title)})
	add("an empty value", true, kgo.Record{Value: []byte{}})
	add("a key of a megabyte", false, kgo.Record{Key: bytes.Repeat([]byte(title), 1<<20/len(title)), Value: good()})
	add("a key of a megabyte of a bad record", true, kgo.Record{Key: bytes.Repeat([]byte{27}, 1<<20), Value: []byte(title)})
	add("control sequences", true, kgo.Record{Key: []byte(title), Value: []byte(title)})
	add("an id of control sequences", false, kgo.Record{Value: a.events(format.Arrow, title)})

	// JSON
	for name, text := range map[string]string{
		"lists in lists":                strings.Repeat("[", 1<<20),
		"objects in objects":            strings.Repeat(`{"a":`, 1<<18),
		"lists in lists, closed":        `{"id":"a","v":` + strings.Repeat("[", 1<<18) + strings.Repeat("]", 1<<18) + "}",
		"a number that is infinite":     `{"id":"a","v":[1e999,1,1,1,1,1,1,1]}`,
		"a number of a megabyte":        `{"id":"a","v":[` + strings.Repeat("9", 1<<20) + `,1,1,1,1,1,1,1]}`,
		"a vector of a million":         `{"id":"a","v":[` + strings.Repeat("1,", 1<<20) + `1]}`,
		"a million empty records":       "[" + strings.Repeat("{},", 1<<20) + "{}]",
		"a field of control sequences":  `{"\u001b]0;pwned\u0007":1,"id":"a"}`,
		"a text in the vector":          `{"id":"a","v":"\u001b]0;pwned\u0007"}`,
		"two hundred thousand fields":   `{"id":"a"` + manyFields(200_000) + `}`,
		"an escape that ends early":     `{"id":"a\u00`,
		"bytes that are no text":        "{\"id\":\"\xff\xfe\x1b[2J\",\"v\":[1,1]}",
		"an envelope in an envelope":    strings.Repeat(`{"schema":{},"payload":`, 100_000),
		"a schema of Connect of itself": `{"schema":{"type":"struct","fields":[{"type":"\u001b[2J","field":"v"}]},"payload":{"v":1}}`,
	} {
		add("JSON: "+name, true, kgo.Record{Value: []byte(text)})
	}

	// Avro
	framed := func(id int, parts ...[]byte) []byte {
		return append(registry.AppendID(nil, id), bytes.Join(parts, nil)...)
	}
	number := func(n int64) []byte { return binary.AppendVarint(nil, n) }
	vector := append(append(number(8), make([]byte, 32)...), 0)
	for name, value := range map[string][]byte{
		"a text of an exabyte":      framed(avroID, number(1<<60), []byte("a")),
		"a text of negative length": framed(avroID, number(-1)),
		"a vector of an exabyte":    framed(avroID, number(1), []byte("a"), number(1<<60)),
		"blocks without an end":     framed(avroID, number(1), []byte("a"), bytes.Repeat(append(number(1), 0, 0, 0, 0), 1<<18)),
		"a block of negative size":  framed(avroID, number(1), []byte("a"), number(-8), number(-5), make([]byte, 32), number(0)),
		"more nulls than atoms":     framed(nullsID, number(1), []byte("a"), vector, number(1<<60), number(0)),
		"many blocks of nulls":      framed(nullsID, number(1), []byte("a"), vector, bytes.Repeat(number(1<<40), 1<<16)),
		"records in records":        framed(deepID, bytes.Repeat(slices.Concat(number(1), []byte("a"), []byte{0}, number(1)), 1<<18)),
		"a schema that is none":     framed(unreadableID, []byte("a")),
		"an unknown schema":         framed(unknownID, []byte("a")),
		"a negative schema":         {0, 0xff, 0xff, 0xff, 0xff, 1},
		"half of a schema's id":     {0, 0, 0},
	} {
		add("Avro: "+name, true, kgo.Record{Value: value})
	}
	for id := range 300 {
		add("Avro: unknown schemas", true, kgo.Record{Value: framed(1000+id, []byte("a"))})
	}

	// Protobuf
	tag := func(field, kind uint64) []byte { return binary.AppendUvarint(nil, field<<3|kind) }
	length := func(n uint64) []byte { return binary.AppendUvarint(nil, n) }
	for name, value := range map[string][]byte{
		"a text of an exabyte":    framed(protobufID, []byte{0}, tag(1, 2), length(1<<60), []byte("a")),
		"a vector of an exabyte":  framed(protobufID, []byte{0}, tag(2, 2), length(1<<62)),
		"a vector cut in a value": framed(protobufID, []byte{0}, tag(2, 2), length(3), []byte{1, 2, 3}),
		"groups in groups":        framed(protobufID, []byte{0}, bytes.Repeat(tag(9, 3), 1<<20)),
		"a number without an end": framed(protobufID, []byte{0}, bytes.Repeat([]byte{0xff}, 100)),
		"an index that is none":   framed(protobufID, binary.AppendVarint(nil, 1<<40), []byte{0}),
		"an index of many levels": framed(protobufID, binary.AppendVarint(nil, 1<<20), bytes.Repeat([]byte{2}, 1<<20)),
		"text that is no text":    framed(protobufID, []byte{0}, tag(1, 2), length(2), []byte{0xff, 27}),
	} {
		add("Protobuf: "+name, true, kgo.Record{Value: value})
	}

	// Arrow
	stream := a.events(format.Arrow, "a", "b", "c")
	for name, change := range map[string]func(b []byte) []byte{
		"half of it": func(b []byte) []byte { return b[:len(b)/2] },
		"a schema of two gigabytes": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[4:], 0x7fffffff)
			return b
		},
		"a schema of negative length": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[4:], 0xffffff00)
			return b
		},
		"an offset beyond the schema": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[8:], 0x7ffffff0)
			return b
		},
		"schemas without an end": func(b []byte) []byte {
			n := 8 + int(binary.LittleEndian.Uint32(b[4:]))
			return bytes.Repeat(b[:n], 1<<20/n)
		},
	} {
		add("Arrow: "+name, true, kgo.Record{Value: change(bytes.Clone(stream))})
	}
	// Each number of 64 bits that may be a length of rows, nulls, buffers or bodies.
	for i := 8; i+8 <= len(stream); i += 8 {
		if v := binary.LittleEndian.Uint64(stream[i:]); v > 0 && v < 1<<16 {
			b := bytes.Clone(stream)
			binary.LittleEndian.PutUint64(b[i:], 1<<40)
			if _, err := a.decoder.DecodeNow(a.t.Context(), &streamMessage{Value: b}); err != nil {
				add("Arrow: a length that lies", true, kgo.Record{Value: b})
			}
		}
	}
	return all
}

// streamMessage has another name where a variable is called stream.
type streamMessage = stream.Message

// hostileRecord is a record of an attack.
type hostileRecord struct {
	name   string
	bad    bool
	record kgo.Record
}

// manyFields returns n fields of a JSON object.
func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"field %d":[%d]`, i, i)
	}
	return b.String()
}

// hostileBatch returns a batch with the given attributes, number of records and compressed records.
func hostileBatch(attributes uint16, records uint32, packed []byte) []byte {
	be := binary.BigEndian
	b := make([]byte, 61, 61+len(packed))
	be.PutUint32(b[8:], uint32(len(b)+len(packed)-12))
	b[16] = 2
	be.PutUint16(b[21:], attributes)
	be.PutUint32(b[23:], records-1)
	now := uint64(time.Now().UnixMilli())
	be.PutUint64(b[27:], now)
	be.PutUint64(b[35:], now)
	for i := 43; i < 57; i++ {
		b[i] = 0xff // no producer
	}
	be.PutUint32(b[57:], records)
	b = append(b, packed...)
	be.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// TestHostileProducers writes records of every hostile kind to the topic of a stage, with a good
// event after each. Nothing ends the stage or takes more than its memory. Good events are placed,
// and the others become dead letters with a reason.
func TestHostileProducers(t *testing.T) {
	tier.Full(t, "it writes gigabytes to a stage, half a minute")
	b := kafkatest.StartEmbedded(t, "")
	a := attacked(t, b.Addr(), b)
	ids := make([]string, 500)
	for i := range ids {
		ids[i] = fmt.Sprint("first ", i)
	}
	a.send(&kgo.Record{Value: a.events(format.Arrow, ids...)}, false)
	a.settle("the first events")
	for _, h := range hostileRecords(a) {
		a.send(&h.record, h.bad)
		a.sendGood()
	}
	a.settle("the records")
	for _, bomb := range batchBombs(t) {
		a.sendBatch(bomb.batch)
		a.sendGood()
		a.settle(bomb.name)
	}
	list, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"dlq", "list", "-c", a.configuration}, {"dlq", "list", "--json", "-c", a.configuration}} {
		out, err := exec.CommandContext(t.Context(), list, args...).CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v, %.1000s", args, err, out)
		}
		a.escaped(strings.Join(args[:3], " "), string(out))
	}
	a.judge(b.Addr())
}
