// Package modeltest is what tests of models share: it reads the reference
// numbers under testdata/fixtures, compares arrays with a stated tolerance, and
// holds the conformance suite that every models.Placer passes.
//
// # Fixtures
//
// A fixture is a JSON file with the numbers of an independent program. They
// live in a folder a subject: testdata/fixtures/saul holds those of the latent
// variable model (its README.md says what every field is). The environment
// variable UNFOLD_FIXTURES names another folder of the same layout. Tests that
// use fixtures are called TestFixtures, run every file of the folder as a
// subtest, say how many they ran, and fail if there was none:
//
//	func TestFixtures(t *testing.T) {
//		modeltest.EachSaul(t, func(t *testing.T, f *modeltest.Saul) { ... })
//	}
//
// # Comparing
//
// Error and Close measure the largest difference relative to the largest entry
// of the wanted array, which is how the fixtures state their own accuracy.
//
// # Conformance
//
// Placers checks what the rest of the program relies on: placing is a pure
// function of (snapshot, vector), to the bit, for any batch size, order and
// number of threads, and bad input is an error that names row and column.
package modeltest
