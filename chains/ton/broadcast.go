package ton

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/ton/client"
)

// Broadcast sends signed bytes. Rejected needs a proof of our own, whatever the node says. A node tries a message on the newest state and refuses
// what its wallet does not take now. This process has one message of a number on its way at a time, since any of several may be carried out.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (outcome chains.Outcome, reason string) {
	of, o, id, err := s.readSigned(raw)
	if err != nil {
		return chains.Rejected, err.Error()
	}
	err = s.node.Use(ctx, func(n node) error {
		tip, err := tipOf(ctx, n)
		if err != nil {
			return err
		}
		now := tip.Time.Unix()
		next, err := s.seqnoAt(ctx, n, of.account, tip.Seqno)
		if err != nil {
			return err
		}
		if next > o.seqno || now >= int64(o.until) {
			outcome, reason, err = s.refused(ctx, n, of, o, id, "it was not sent")
			return err
		}
		if other := s.sent.other(id, of.account, o.seqno, now); other != "" {
			outcome, reason = chains.NotTaken, fmt.Sprintf("%s has the number %d too, and may be carried out", other, o.seqno)
			return nil
		}
		err = n.Client.Send(ctx, raw)
		if err == nil {
			s.sent.add(id, waiting{of.account, o.seqno, int64(o.until)}, now)
			outcome, reason = chains.Accepted, ""
			return nil
		}
		text, refused := client.Refusal(err)
		if !refused {
			return err
		}
		outcome, reason, err = s.refused(ctx, n, of, o, id, text)
		return err
	})
	if err != nil {
		return chains.Unknown, err.Error()
	}
	return outcome, reason
}

// refused says what the refusal of a node means, by what the chain shows.
func (s *Sender) refused(ctx context.Context, n node, of purse, o orders, id, text string) (chains.Outcome, string, error) {
	tip, err := tipOf(ctx, n)
	if err != nil {
		return chains.Unknown, "", err
	}
	if err := s.lookIn(ctx, n, of.account, []string{id}, tip.Seqno, mostPages); err != nil {
		return chains.Unknown, "", err
	}
	if s.past.find(id) != nil {
		return chains.Accepted, "", nil
	}
	next, err := s.seqnoAt(ctx, n, of.account, tip.Seqno)
	switch {
	case err != nil:
		return chains.Unknown, "", err
	case next > o.seqno:
		return chains.SlotTaken, fmt.Sprintf("the wallet is at number %d: %s", next, text), nil
	case tip.Time.Unix() >= int64(o.until):
		return chains.Expired, "its time is over: " + text, nil
	case next < o.seqno:
		return chains.NotTaken, fmt.Sprintf("its turn comes after number %d", next), nil
	default:
		return chains.NotTaken, text, nil
	}
}
