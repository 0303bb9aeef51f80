package nodes

import (
	"time"

	"causeway/chains"
)

// A node is behind when its best block is lower than another's by more than lagBlocks, and older by more than lagTime.
const (
	lagBlocks = 3
	lagTime   = 30 * time.Second
	lagFor    = time.Minute // an answer about the best block is compared with for so long
)

// seen is the best block told by a node.
type seen struct {
	height   int64
	time, at time.Time // of the block, and of the answer
}

// saw notes the best block told by a node, and reports whether the node is behind another. A block from the future counts as one of
// this moment: a false time must not make all others late.
func (l *list[C]) saw(height int64, at time.Time) (behind bool) {
	l.Lock()
	defer l.Unlock()
	now := time.Now()
	if at.After(now) {
		at = now
	}
	if l.best.at.Before(now.Add(-lagFor)) || at.After(l.best.time) || at.Equal(l.best.time) && height > l.best.height {
		l.best = seen{height, at, now}
		return false
	}
	return l.best.height-height > lagBlocks && l.best.time.Sub(at) > lagTime
}

// Saw notes the best block told by a node, and reports whether the node is behind another. If so, it is left alone from the next
// question on.
func (p *Pool[C]) Saw(node Node[C], height int64, at time.Time) (behind bool) {
	if behind = p.saw(height, at); behind {
		p.leave(node.place, ErrBehind)
	}
	return behind
}

// agreedOn notes a final block that two nodes have. A node left alone must have it too, to be asked again.
func (l *list[C]) agreedOn(block chains.Mark) {
	l.Lock()
	defer l.Unlock()
	if block.Height >= l.agreed.Height {
		l.agreed = block
	}
}
