package stream

import (
	"errors"
	"fmt"
	"time"
)

// Settings bound a pipeline's work. The zero value works.
type Settings struct {
	// BatchMessages and BatchBytes limit the messages that are placed, written and acknowledged
	// together. BatchMessages defaults to 512, or to 4096 with exactly-once delivery, where each
	// batch is a transaction. BatchBytes defaults to 4 MiB. A message larger than BatchBytes is a
	// batch of its own.
	BatchMessages int
	BatchBytes    int
	// Linger is the time that a partition read to its end is not polled while earlier messages are
	// processed. Polling for every single message would load the broker. A negative value disables
	// it. Default 5ms.
	Linger time.Duration
	// QueueBytes limits the messages of all partitions that are read and not yet delivered, and the
	// broker responses that contain them. A single larger message is read alone (Queue).
	// WaitingBytes limits the messages that wait for the first map. Messages beyond it are dropped
	// after the learner has seen them, and read again when the map is ready. WorkBytes limits the
	// memory for decoding and placing messages of all partitions, as far as it can be estimated
	// beforehand (Weigher). A batch that needs more is processed alone. Defaults 64, 256 and 256
	// MiB.
	QueueBytes, WaitingBytes, WorkBytes int
	// DecodeTime is the time limit for decoding one message. A message is bad after that time, or
	// at most twice that time. Its decoder is abandoned and may run on after Run has returned.
	// Default 30s.
	DecodeTime time.Duration
	// CommitEvery is the time between commits of acknowledged offsets. After a crash at most the
	// messages of this time are delivered again. Default 500ms.
	CommitEvery time.Duration
	// LagEvery is the time between two queries of the group's progress, and LagTimeout the time
	// limit of one query. Defaults 5s and 10s.
	LagEvery, LagTimeout time.Duration
	// RetryMin and RetryMax are the first and the longest pause before a failed write or commit is
	// retried. Pauses double. Defaults 100ms and 5s.
	RetryMin, RetryMax time.Duration
	// DrainTimeout is the time limit for placing, writing and acknowledging messages already read
	// when the pipeline stops or a partition is revoked. Messages that are not done by then are
	// delivered again later. Default 4s.
	DrainTimeout time.Duration
	// CommitTimeout limits the last commit of a generation. Default 3s.
	CommitTimeout time.Duration
}

// withDefaults validates the fields and sets defaults for those that are zero.
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
