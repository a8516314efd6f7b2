// Package kafkatest provides brokers and a client for tests.
package kafkatest
