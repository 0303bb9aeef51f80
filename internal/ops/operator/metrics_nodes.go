package operator

import "github.com/prometheus/client_golang/prometheus"

var requestsDesc = desc("node_requests_total", "HTTP requests that this process has sent to the node of the network.", "network")

// nodeCollector tells how much the nodes are asked.
type nodeCollector []Network

// Describe implements prometheus.Collector.
func (c nodeCollector) Describe(to chan<- *prometheus.Desc) { to <- requestsDesc }

// Collect implements prometheus.Collector.
func (c nodeCollector) Collect(to chan<- prometheus.Metric) {
	for _, n := range c {
		if n.Requests != nil {
			to <- prometheus.MustNewConstMetric(requestsDesc, prometheus.CounterValue, float64(n.Requests()), n.Name)
		}
	}
}
