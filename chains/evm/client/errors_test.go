package client

import "testing"

// TestLimitsOfLogs has the providers' words for too wide a question for logs, and words similar to them.
func TestLimitsOfLogs(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]Class{
		"requested too many blocks from 1 to 3000, maximum is set to 2048": Limit,
		"query returned more than 10000 results":                           Limit,
		"block range is too wide":                                          Limit,
		"exceed maximum block range: 5000":                                 Limit,
		"eth_getLogs is limited to a 10,000 range":                         Limit,
		"too many requests, rate limit exceeded":                           Busy,
	} {
		if got := classify("eth_getLogs", -32000, words); got != want {
			t.Errorf("%q is %d, want %d", words, got, want)
		}
	}
}
