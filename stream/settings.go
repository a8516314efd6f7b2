package stream

import (
	"errors"
	"fmt"
	"time"
)

// Settings bound a pipeline's work. The zero value works.
type Settings struct {
	// BatchMessages and BatchBytes bound the messages that are placed, written
	// and acknowledged together. Defaults 512, with exactly-once delivery 4096
	// (each batch is a transaction), and 4 MiB. A message larger than BatchBytes is
	// a batch of its own.
	BatchMessages int
	BatchBytes    int
	// Linger is for how long a partition that has been read to its end is left alone while
	// the messages before are worked on: to ask for each message as it comes would keep
	// the broker busier than the messages do. Less than 0: not at all. Default 5ms.
	Linger time.Duration
	// QueueBytes bounds the messages that have been read and not yet delivered, all
	// partitions together, and the brokers' answers that they are read from; one message
	// that is larger is read alone (Queue). WaitingBytes bounds those that wait for the first
	// map: what is beyond is let go after the learner has seen it, and read again
	// when the map is there. WorkBytes bounds what is made of messages while they are
	// decoded and placed, all partitions together, as far as that can be known beforehand
	// (Weigher); what needs more is at work alone. Defaults 64, 256 and 256 MiB.
	QueueBytes, WaitingBytes, WorkBytes int
	// DecodeTime is how long decoding one message may take; after that, at twice the
	// time at the latest, it is bad. Its decoder is left to end by itself, even after
	// Run has returned. Default 30s.
	DecodeTime time.Duration
	// CommitEvery is the time between commits of acknowledged offsets, so at
	// most that much is delivered again after a crash. Default 500ms.
	CommitEvery time.Duration
	// LagEvery is the time between two questions for the group's progress, LagTimeout what
	// one of them may take. Defaults 5s, 10s.
	LagEvery, LagTimeout time.Duration
	// RetryMin and RetryMax bound the pause before a failed write or commit is
	// retried; it doubles from one to the other. Defaults 100ms and 5s.
	RetryMin, RetryMax time.Duration
	// DrainTimeout is how long what has been read may take to be placed, written and
	// acknowledged. It begins when the pipeline is asked to stop, or a partition is given
	// to another member. What is not done by then is delivered again later. Default 4s.
	DrainTimeout time.Duration
	// CommitTimeout bounds the last commit of a generation. Default 3s.
	CommitTimeout time.Duration
}

// withDefaults checks the fields and fills those that are zero.
func (s Settings) withDefaults(exactlyOnce bool) (Settings, error) {
	for name, v := range map[string]int64{
		"BatchMessages": int64(s.BatchMessages), "BatchBytes": int64(s.BatchBytes), "QueueBytes": int64(s.QueueBytes), "WaitingBytes": int64(s.WaitingBytes),
		"WorkBytes": int64(s.WorkBytes), "CommitEvery": int64(s.CommitEvery), "LagEvery": int64(s.LagEvery), "LagTimeout": int64(s.LagTimeout), "DecodeTime": int64(s.DecodeTime),
		"RetryMin": int64(s.RetryMin), "DrainTimeout": int64(s.DrainTimeout), "CommitTimeout": int64(s.CommitTimeout),
	} {
		if v < 0 {
			return s, fmt.Errorf("stream: Settings.%s is negative", name)
		}
	}
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	span := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	if exactlyOnce {
		set(&s.BatchMessages, 4096)
	}
	set(&s.BatchMessages, 512)
	set(&s.BatchBytes, 4<<20)
	set(&s.QueueBytes, 64<<20)
	set(&s.WaitingBytes, 256<<20)
	set(&s.WorkBytes, 256<<20)
	span(&s.Linger, 5*time.Millisecond)
	span(&s.DecodeTime, 30*time.Second)
	span(&s.CommitEvery, 500*time.Millisecond)
	span(&s.LagEvery, 5*time.Second)
	span(&s.LagTimeout, 10*time.Second)
	span(&s.RetryMin, 100*time.Millisecond)
	span(&s.RetryMax, 5*time.Second)
	span(&s.DrainTimeout, 4*time.Second)
	span(&s.CommitTimeout, 3*time.Second)
	if s.RetryMax < s.RetryMin {
		return s, errors.New("stream: Settings.RetryMax is less than RetryMin")
	}
	return s, nil
}
