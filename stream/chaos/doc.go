// Package chaos injects faults into a running stage and checks that nothing was lost.
//
// A run has four independent parts:
//
//   - a load: messages with known events, some of them unreadable, are written
//     to the source topic at a steady rate (Load);
//   - the stage: `unfold run` in processes of its own, against a broker in a
//     separate process, with a Proxy in between that parses the protocol just enough to
//     identify requests;
//   - a Schedule of faults, drawn from a seed: the same seed leads to the same faults in
//     the same order, and at the same moments if these have names. It has a
//     text form that can be used to repeat the run;
//   - a judge (Judge) that uses only the final contents of the topics. It decodes every
//     output and compares its rows with those of the input that its headers name.
//
// # What the judge checks
//
// Every input has an output or a dead letter, and every output has an input. For each source
// partition and key, the first outputs are in the order of the inputs. Rows and ids equal those of
// the input. Outputs of the same position and map version have the same bytes. With exactly-once
// delivery no position comes twice, neither as an output nor as a dead letter. After kills and
// before any restart, outputs and committed positions have to agree. (TestJudge, TestSabotage)
//
// # Moments
//
// Random moments are drawn from the seed as pauses. Named moments are requests that pass the proxy:
// "before OffsetCommit" drops the request, and "after EndTxn" drops the response to a completed
// request. "state" is a moment in which a file of the state folder is being written.
//
// # Simulated faults
//
// A clock jump: times of messages jump by years, forward and back. A process that is stopped for
// longer than its session (freeze) sees its own clock jump. The machine's clock is unchanged. A
// full disk: the state folder is a small file system that is filled to the last byte. The run is
// skipped where mounts are not allowed. Failing storage: the state folder is removed.
//
// # Running
//
//	make chaos-short                 what CI runs, below four minutes
//	make chaos                       everything, with Apache Kafka if java is installed
//	make chaos CHAOS_RUN=three CHAOS_STEPS=20 CHAOS_SEED=7     scenarios by name, number of steps
//	make chaos-page                  docs/chaos.md, from docs/chaos and results of runs in out/chaos
//	UNFOLD_CHAOS_SCHEDULE='kill after 120ms; kill at after EndTxn 2' go test -run TestChaos/kill ./stream/chaos
//
// UNFOLD_BINARY selects another program instead of this checkout's. Use it to check that the judge
// finds the errors of a program that is known to be faulty.
//
// TestInflating, which runs with the scenarios, sends messages that are small on the wire and large
// in memory. It checks the peak memory of the stage.
//
// TestHostileProducers and TestLyingBroker attack a stage by records, batches and answers of every
// hostile kind (UNFOLD_TESTS=all).
//
// A failing run prints its seed and its schedule. This package contains further tests:
//
//	UNFOLD_TESTS=all UNFOLD_TOPICS=50 go test -timeout 2h -run TestTopics -v ./stream/chaos
//	UNFOLD_MUTATIONS=10000000 go test -timeout 3h -run TestMutations/arrow -v ./stream/chaos
//	UNFOLD_SOAK_TIME=1h go test -timeout 2h -run TestSoak -v ./stream/chaos
//
// The first changes the source's topic under a running stage, UNFOLD_TOPICS times. The second
// decodes UNFOLD_MUTATIONS damaged messages of a format in separate processes, so that a message
// that crashes the process can be identified. The third runs a stage at a steady rate and monitors
// its memory, goroutines and open files.
package chaos
