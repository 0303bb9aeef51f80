package ton

import (
	"encoding/hex"
	"sync"
)

// sent are the messages that a node took from this process and that may wait for a block: nodes tell nothing of what waits.
type sent struct {
	sync.Mutex
	messages map[string]waiting
}

// waiting is a message that was sent.
type waiting struct {
	of    account
	seqno uint64
	until int64 // the last second of its life, by the clock of blocks
}

// add notes a message that a node took, and forgets those that are over.
func (s *sent) add(id string, w waiting, now int64) {
	s.Lock()
	defer s.Unlock()
	if s.messages == nil {
		s.messages = map[string]waiting{}
	}
	for other, o := range s.messages {
		if o.until < now {
			delete(s.messages, other)
		}
	}
	s.messages[id] = w
}

// waits reports whether a message may wait for a block.
func (s *sent) waits(id string, now int64) bool {
	_, waits := s.find(id, now)
	return waits
}

// find returns a message that may wait for a block.
func (s *sent) find(id string, now int64) (waiting, bool) {
	s.Lock()
	defer s.Unlock()
	w, known := s.messages[id]
	return w, known && w.until >= now
}

// wallets returns the wallets that messages sent by this process are of.
func (s *sent) wallets(ids []string) (out []account) {
	s.Lock()
	defer s.Unlock()
	for _, id := range ids {
		if w, known := s.messages[id]; known {
			out = append(out, w.of)
		}
	}
	return out
}

// knows reports whether a message was sent by this process lately.
func (s *sent) knows(id string) bool {
	s.Lock()
	defer s.Unlock()
	_, known := s.messages[id]
	return known
}

// next is the seqno of a wallet after all that may wait for a block.
func (s *sent) next(of account, now int64) (next uint64) {
	s.Lock()
	defer s.Unlock()
	for _, w := range s.messages {
		if w.of == of && w.until >= now {
			next = max(next, w.seqno+1)
		}
	}
	return next
}

// other returns another message of a wallet with a seqno that may wait for a block, "" for none.
func (s *sent) other(id string, of account, seqno uint64, now int64) string {
	s.Lock()
	defer s.Unlock()
	for one, w := range s.messages {
		if one != id && w.of == of && w.seqno == seqno && w.until >= now {
			return one
		}
	}
	return ""
}

func hexOf(raw []byte) string { return hex.EncodeToString(raw) }
