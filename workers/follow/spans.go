package follow

import (
	"cmp"
	"slices"
	"sync"

	"causeway/internal/store"
)

// spans remember how many blocks the next step along each network asks for. Blocks left to the next step are
// read twice, and a hundred blocks full of transfers to us fifty times.
type spans struct {
	mu sync.Mutex
	of map[string]int // blocksAtOnce where there is none
}

// next returns how many blocks a step asks for.
func (s *spans) next(network string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.of[network], blocksAtOnce)
}

// took notes how many blocks a step has asked for, was told and has taken, and whether they fill a step. After a step that left some,
// so many are asked for as it took. While they fill none, more and more are.
func (s *spans) took(network string, asked, told, taken int, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]int{}
	}
	switch {
	case taken < told:
		s.of[network] = taken
	case told == asked && !full:
		s.of[network] = min(2*asked, blocksAtOnce)
	}
}

// cut leaves blocks to the next steps, and the mempool with them, once those below bring as many transfers to us as one step takes.
// Anybody may send to our addresses without end. This must not make a step too long: it would be tried again with the same blocks. It
// reports whether the blocks fill the step.
func (r *reading) cut(most int) (full bool) {
	count := map[int64]int{}
	for i := range r.found {
		if h := r.found[i].height; h != nil {
			count[*h]++
		}
	}
	taken := 0
	for i := range r.blocks {
		if taken += count[r.blocks[i].Height]; taken < most || i == len(r.blocks)-1 {
			continue
		}
		r.beyond = true
		r.keep(i + 1)
		return true
	}
	return taken >= most
}

// keep leaves all blocks but the first ones to the next steps, and the mempool with them.
func (r *reading) keep(blocks int) {
	r.blocks, r.mempool = r.blocks[:blocks], false
	r.withoutOpening()
	beyond := func(a arrival) bool { return a.height == nil || *a.height > r.followed() }
	r.found, r.inside = slices.DeleteFunc(r.found, beyond), slices.DeleteFunc(r.inside, beyond)
	r.asides = slices.DeleteFunc(r.asides, func(a store.Aside) bool { return a.Height > r.followed() })
}
