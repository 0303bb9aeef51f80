package workers

import "time"

// StopsAreOld reports whether what the process remembers of stops will be read again before anything is signed.
func (w *Workers) StopsAreOld() bool {
	w.stops.mu.Lock()
	defer w.stops.mu.Unlock()
	return time.Since(w.stops.at) > stopsAge
}

// LookAt has a follower look up so many transactions of ours in one step.
func (w *Workers) LookAt(most int) { w.Follow.open = most }

// TakeArrivals has a follower take no further block in a step after so many transfers to us; zero is as it is outside of tests.
func (w *Workers) TakeArrivals(most int) { w.Follow.arrivals = most }

// Ailing reports whether the node of a network counts as one that does not answer.
func (w *Workers) Ailing(network string) bool {
	w.nodes.mu.Lock()
	defer w.nodes.mu.Unlock()
	n := w.nodes.of[network]
	return n != nil && n.ailing
}
