// Package simulation plays the whole service under one seed, in one process: clients, relay, workers, networks, webhook
// receivers and the clock take their steps one at a time. The seed alone chooses their order: a failure comes again
// with the same seed.
//
// Work is done by the real code on a real PostgreSQL. A seed adds everything a test by hand would not think of: each
// attempt at a job can be stopped before and after every statement, commit, ring and question to a node, go on much
// later or never, run twice, or lose its connection to the database and live on; tasks are lost, doubled and flushed;
// networks lose answers, reject and reorganise; receivers fail; the database's clock jumps. Meanwhile, and once
// everything has come to rest, the invariants of docs/reliability.md are looked at. All of it is test code: no line of
// it is in a release.
package simulation
