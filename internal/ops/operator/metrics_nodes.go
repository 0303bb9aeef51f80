package operator

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	requestsDesc = desc("node_requests_total", "HTTP requests that this process has sent to a node of the network, by its place in rpc.", "network", "node")
	failuresDesc = desc("node_failures_total", "How often this process was failed by the node.", "network", "node")
	leftDesc     = desc("node_left", "1 while this process leaves the node alone, since the node has failed it.", "network", "node")
	usedDesc     = desc("node_used", "1 for the node that this process asks now.", "network", "node")
)

// nodeCollector tells how much the nodes are asked.
type nodeCollector []Network

// Describe implements prometheus.Collector.
func (c nodeCollector) Describe(to chan<- *prometheus.Desc) {
	to <- requestsDesc
	to <- failuresDesc
	to <- leftDesc
	to <- usedDesc
}

// Collect implements prometheus.Collector.
func (c nodeCollector) Collect(to chan<- prometheus.Metric) {
	for _, network := range c {
		if network.Nodes == nil {
			continue
		}
		for i, n := range network.Nodes() {
			place := strconv.Itoa(i + 1)
			to <- prometheus.MustNewConstMetric(requestsDesc, prometheus.CounterValue, float64(n.Requests), network.Name, place)
			to <- prometheus.MustNewConstMetric(failuresDesc, prometheus.CounterValue, float64(n.Failures), network.Name, place)
			to <- gauge(leftDesc, one(n.Left), network.Name, place)
			to <- gauge(usedDesc, one(n.Used), network.Name, place)
		}
	}
}
