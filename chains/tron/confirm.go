package tron

import (
	"context"
	"fmt"
	"slices"

	"causeway/chains/tron/client"
)

// No header has a root over the logs of its block. What a transaction says itself is in the header: a call of a token's transfer that
// succeeded moves what it says. Every other log is the word of a node, and one of several nodes may lie. So a second one is asked.

// errLate says that a second node does not have a block yet, and cannot confirm it.
var errLate = blameless{"a second node does not have the block yet", false}

// confirm asks a second node for the logs of a block that its transactions do not say themselves. It is as Agree: a node that is away, or
// behind, or does not keep logs, is not waited for, unless it has contradicted the block before.
func (v view) confirm(ctx context.Context, b *block) error {
	var doubtful []*transaction
	for i := range b.txs {
		if v.doubtful(&b.txs[i]) {
			doubtful = append(doubtful, &b.txs[i])
		}
	}
	if len(doubtful) == 0 || v.nodes.Size() < 2 {
		return nil
	}
	s := seconds{view: v, block: b, doubtful: doubtful}
	v.nodes.Others(ctx, v.node, func(other client.Node) (bool, error) { return s.ask(ctx, other) })
	return s.judge()
}

// seconds is what other nodes say about a block.
type seconds struct {
	view
	block           *block
	doubtful        []*transaction
	confirmed, late bool
	contrary        []client.Node
	of              hash // a transaction with other logs
}

// ask asks one of them, and reports whether it confirms the block.
func (s *seconds) ask(ctx context.Context, other client.Node) (bool, error) {
	second := view{s.Connector, other}
	has, behind, err := second.has(ctx, s.block)
	if err != nil || behind {
		return false, err
	}
	if !has {
		s.late = true
		return false, nil
	}
	infos, err := second.infos(ctx, s.block.height)
	if err != nil || len(infos) == 0 {
		return false, err
	}
	if at := slices.IndexFunc(s.doubtful, func(t *transaction) bool { return !s.sameLogs(t, infos) }); at >= 0 {
		s.contrary, s.of = append(s.contrary, other), s.doubtful[at].id
		return false, nil
	}
	s.confirmed = true
	return true, nil
}

// judge returns why the block is not told. One node against one decides nothing, and the contradiction holds while one of them is away.
func (s *seconds) judge() error {
	why := odd("block %d: nodes tell other logs of transaction %s", s.block.height, s.of)
	_, disputed := s.disputes.Load(s.block.id)
	switch {
	case s.confirmed:
		s.disputes.Delete(s.block.id)
		for _, other := range s.contrary {
			s.nodes.Leave(other, why)
		}
		return nil
	case len(s.contrary) > 1:
		return why
	case len(s.contrary) == 1:
		s.disputes.Store(s.block.id, true)
		return blameless{fmt.Sprintf("block %d: two nodes tell other logs of transaction %s: take the wrong one off the list", s.block.height, s.of), false}
	case disputed:
		return blameless{fmt.Sprintf("block %d: two nodes have told other logs, and no other node confirms them", s.block.height), false}
	case s.late:
		return errLate
	default:
		return nil
	}
}

// has reports whether a node has a block, and whether the node is behind.
func (v view) has(ctx context.Context, b *block) (has, behind bool, err error) {
	told, err := v.node.Client.Best(ctx, b.height)
	if err != nil {
		return false, false, err
	}
	return told.Hashes[b.height] == b.id, v.nodes.Saw(v.node, told.Best.Height, told.Time), nil
}

// doubtful reports whether a transaction has other logs of tokens than it says itself, or calls a token otherwise. What a call of another
// contract has moved in secret, reconciliation finds.
func (c *Connector) doubtful(t *transaction) bool {
	if !t.succeeded || !t.contract() {
		return false
	}
	logs := c.watchedLogs(t.logs)
	to, units, transfers := readTransferCall(t.call)
	switch ours := t.kind == kindTrigger && c.watches(t.to); {
	case !ours:
		return len(logs) > 0
	case !transfers:
		return true
	}
	said := moved{t.to, t.owner, to, units}
	return len(logs) != 1 || !logs[0].equal(said)
}

// sameLogs reports whether infos have the same logs of watched tokens for a transaction.
func (c *Connector) sameLogs(t *transaction, infos []client.Info) bool {
	id := t.id.String()
	i := slices.IndexFunc(infos, func(n client.Info) bool { return n.ID == id })
	return i >= 0 && slices.EqualFunc(c.watchedLogs(t.logs), c.watchedLogs(readLogs(infos[i].Log)), moved.equal)
}

// watchedLogs leaves out the logs of contracts that are not watched.
func (c *Connector) watchedLogs(logs []moved) (out []moved) {
	for _, m := range logs {
		if c.watches(m.contract) {
			out = append(out, m)
		}
	}
	return out
}

func (m moved) equal(other moved) bool {
	return m.contract == other.contract && m.from == other.from && m.to == other.to && m.units.Cmp(other.units) == 0
}
