// Package relay contains alternatives to `unfold run` for measuring: a stage of the same parts that
// can be profiled, or that places nothing, and a bare copy of a topic. They run as separate
// processes, which are the measuring program itself with a verb. Shares evaluates a profile.
package relay
