// Package embedded runs a broker within the process, for measurements on small data.
package embedded

import "github.com/twmb/franz-go/pkg/kfake"

// Start starts a broker of one node that keeps its data in memory. It returns its address and a
// function that stops it.
func Start() (addr string, stop func(), err error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		return "", func() {}, err
	}
	return c.ListenAddrs()[0], c.Close, nil
}
