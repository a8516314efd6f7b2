// Package web serves the operators' pages of a running stage over HTTP:
//
//	/livez    200 as long as the process can answer
//	/readyz   200 if it has partitions and a map, otherwise 503 and the reason
//	/metrics  metrics in Prometheus's text format
//
// These answer GET and HEAD only, show no data, and are meant for an address that only operators
// reach. Package serve adds placement requests if configured.
package web
