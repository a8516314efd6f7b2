// Package chaos breaks a running stage and looks whether anything was lost.
//
// A run has four parts that know nothing of each other:
//
//   - a load: messages with known events, among them some that cannot be read, go
//     into the source topic at a steady rate (Load);
//   - the stage: `unfold run` in processes of its own, against a broker in a process
//     of its own, with a Proxy between that understands the protocol just enough to
//     know which request is passing;
//   - a Schedule of faults, made from a seed: the same seed gives the same faults in
//     the same order, at the same moments as far as moments have names. It has a
//     textual form that can be given back to run it again;
//   - a judge (Judge) that knows only what the topics hold in the end. It opens every
//     output and compares its rows with those of the input that it says it was made of.
//
// # What the judge asks
//
// Every input is in the output or among the dead letters, and no output comes from
// elsewhere. For each source partition and key the first outputs are in the order
// of the inputs. Rows and their ids are those of the input. One position and one
// version of the map always give the same bytes. If delivery is exactly once, no
// position comes twice, neither as an output nor as a dead letter; and after kills,
// before anything starts again, outputs and committed positions have to go together.
// (TestJudge, TestSabotage)
//
// # Moments
//
// Random moments are drawn from the seed as pauses. Named ones are requests that
// pass the proxy, by their names in the protocol: "before OffsetCommit" loses the
// request, "after EndTxn" loses the answer to a request that was carried out. And
// "state" is the moment in which a file of the state folder is being written.
//
// # What stands for what
//
// A clock that jumps: times of messages jump by years, forth and back; and a
// process that was stopped for longer than its session (freeze) sees its own clock
// jump. The machine's clock is not touched. A full disk: the state folder is a small
// file system that is filled to the last byte; where mounts are not allowed a run
// that needs one is skipped. Storage that fails: the state folder is gone.
//
// # Running
//
//	make chaos-short                 what CI runs, below four minutes
//	make chaos                       all of it, with an Apache Kafka where there is java
//	make chaos CHAOS_RUN=three CHAOS_STEPS=20 CHAOS_SEED=7     scenarios of such names, so many steps
//	make chaos-page                  docs/chaos.md, from docs/chaos and what runs have left in out/chaos
//	UNFOLD_CHAOS_SCHEDULE='kill after 120ms; kill at after EndTxn 2' go test -run TestChaos/kill ./stream/chaos
//
// UNFOLD_BINARY names a program to break instead of this checkout's own: a judge that
// finds nothing wrong with a program that is known to be is no judge.
//
// TestInflating, which is run with the scenarios, sends messages that are small on the
// wire and large in memory. It looks at the most that the stage took.
//
// A run that fails says its seed and its schedule. More tests are at home here:
//
//	UNFOLD_TESTS=all UNFOLD_TOPICS=50 go test -timeout 2h -run TestTopics -v ./stream/chaos
//	UNFOLD_MUTATIONS=10000000 go test -timeout 3h -run TestMutations/arrow -v ./stream/chaos
//	UNFOLD_SOAK_TIME=1h go test -timeout 2h -run TestSoak -v ./stream/chaos
//
// The first changes the source's topic under a stage, so many times. The second decodes so many
// damaged messages of a format, in processes of its own, so that one that kills the process is
// found and named. The third lets a stage run at a steady rate and watches its memory, its
// goroutines and its open files.
package chaos
