// Package relay is what carries messages from one topic to another beside `unfold run`,
// for programs that measure it: a stage of the same parts that can be profiled, or that
// places nothing, and a bare copy. They run as processes of their own, which are the
// measuring program itself started with a verb; Shares reads what a profile says.
package relay
