package ingest

import "fmt"

// Origin is a place in a source, for errors and for output headers.
type Origin struct {
	// File and Row (0-based, of the first row of the batch) for files.
	File string
	Row  int64
	// Topic, Partition, Offset for messages; Topic is empty for files.
	Topic     string
	Partition int
	Offset    int64
}

// String names the place: the file, or topic, partition and offset.
func (o Origin) String() string {
	switch {
	case o.Topic != "":
		return fmt.Sprintf("topic %s, partition %d, offset %d", o.Topic, o.Partition, o.Offset)
	case o.File == "-":
		return "standard input"
	case o.File != "":
		return o.File
	}
	return "input"
}
