package cardano

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// track is the chain as far as it was read, from some block on. Ogmios finds no block by its height, so a process remembers the points of the
// chain; after a start it finds its place again by the blocks in the books. Its users hold the lock of the reader's turn.
type track struct {
	mu     sync.Mutex
	begun  bool
	base   int64          // height of the first point
	points []client.Point // one after the other
	parsed map[int64]*parsedBlock
	mined  map[hash]place // where transactions are
	lowest int64          // from this block on all transactions are in mined
}

// place is the block of a transaction, and its fee.
type place struct {
	height int64
	fee    int64
}

// How much a track remembers. A full block takes some 500 KB, a point 100 bytes.
const (
	keptBlocks = 10
	keptPoints = 100_000
	keptMined  = 3 * maxDepth
)

func (t *track) clear() {
	t.begun, t.points, t.parsed, t.mined = false, nil, map[int64]*parsedBlock{}, map[hash]place{}
}

// top is the height of the last point.
func (t *track) top() int64 { return t.base + int64(len(t.points)) - 1 }

// at returns the point of a height.
func (t *track) at(height int64) (client.Point, bool) {
	if !t.begun || height < t.base || height > t.top() {
		return client.Point{}, false
	}
	return t.points[height-t.base], true
}

// hashOfPoint is how the books write a point: a reader finds a block by both of its parts.
func hashOfPoint(p client.Point) string {
	if p.ID == "" {
		return "origin"
	}
	return p.ID + "." + strconv.FormatInt(p.Slot, 10)
}

// pointOf reads what hashOfPoint has written.
func pointOf(text string) (p client.Point, ok bool) {
	id, slot, cut := strings.Cut(text, ".")
	n, err := strconv.ParseInt(slot, 10, 64)
	if _, is := hashOf(id); !cut || !is || err != nil || n < 0 {
		return p, false
	}
	return client.Point{Slot: n, ID: id}, true
}

// follow has f read the chain, once the track is in the chain that the node has now.
func (p *peer) follow(ctx context.Context, f func(s *client.Session, t *track, tip client.Tip) error) error {
	return p.reader.Use(ctx, func(s *client.Session) error {
		t := &p.track
		t.mu.Lock()
		defer t.mu.Unlock()
		tip, err := p.align(ctx, s, t)
		if err != nil {
			return err
		}
		if final := p.of.followed.Load(); tip.Height < final {
			return odd("the node went back to block %d, behind block %d, which was final", tip.Height, final)
		}
		return f(s, t, tip)
	})
}

// align finds the newest point of the track that is in the node's chain, and forgets those above.
func (p *peer) align(ctx context.Context, s *client.Session, t *track) (client.Tip, error) {
	if !t.begun {
		return p.begin(ctx, s, t)
	}
	var some []client.Point
	for back, height := int64(1), t.top(); ; back, height = back*2, height-back {
		if height <= t.base {
			some = append(some, t.points[0])
			break
		}
		below, _ := t.at(height)
		some = append(some, below)
	}
	at, tip, err := s.Intersect(ctx, some)
	if client.Lacks(err) {
		t.clear() // the books may know a block further back
		return p.begin(ctx, s, t)
	}
	if err != nil {
		return tip, err
	}
	found := slices.Index(t.points, at)
	if found < 0 {
		return tip, odd("block %s was not asked for", at.ID)
	}
	t.cut(t.base + int64(found))
	return tip, checkTip(tip, at, t.top())
}

// begin finds the track's first point: the lowest block of the books, or the newest of the node. All open transactions of ours are above the
// lowest.
func (p *peer) begin(ctx context.Context, s *client.Session, t *track) (tip client.Tip, err error) {
	var marks []chains.Mark
	if named := p.of.marks.Load(); named != nil {
		if marks, err = (*named)(ctx); err != nil {
			return tip, fmt.Errorf("blocks of the books: %w", err)
		}
	}
	slices.SortFunc(marks, func(a, b chains.Mark) int { return cmp.Compare(a.Height, b.Height) })
	var some []client.Point
	heights := map[client.Point]int64{}
	for _, m := range marks {
		if at, ok := pointOf(m.Hash); ok {
			some, heights[at] = append(some, at), m.Height
		}
	}
	switch {
	case len(some) > 0:
	case p.of.cfg.Magic != Mainnet:
		some = []client.Point{{}} // a chain for trials is short
	default:
		return p.beginAtTip(ctx, s, t)
	}
	at, tip, err := s.Intersect(ctx, some)
	if client.Lacks(err) {
		return tip, odd("no block of the books is in the node's chain")
	}
	if err != nil {
		return tip, err
	}
	height, known := heights[at]
	if !known && at != (client.Point{}) {
		return tip, odd("block %s was not asked for", at.ID)
	}
	t.set(height, at)
	return tip, checkTip(tip, at, height)
}

// beginAtTip begins with the newest block, for books that have none.
func (p *peer) beginAtTip(ctx context.Context, s *client.Session, t *track) (tip client.Tip, err error) {
	_, tip, err = s.Intersect(ctx, []client.Point{shelley})
	if err != nil {
		return tip, err
	}
	at, tip, err := s.Intersect(ctx, []client.Point{tip.Point})
	if err != nil {
		return tip, err
	}
	if at != tip.Point {
		return tip, unread("a block came meanwhile")
	}
	t.set(tip.Height, at)
	return tip, nil
}

func checkTip(tip client.Tip, at client.Point, height int64) error {
	if tip.Height < height || tip.Height == height && tip.Point != at {
		return odd("block %d is not below the newest block %d", height, tip.Height)
	}
	return nil
}

func (t *track) set(height int64, p client.Point) {
	t.clear()
	t.begun, t.base, t.points, t.lowest = true, height, []client.Point{p}, height+1
}

// cut forgets what is above a height.
func (t *track) cut(height int64) {
	if height >= t.top() {
		return
	}
	t.points = t.points[:height-t.base+1]
	for h := range t.parsed {
		if h > height {
			delete(t.parsed, h)
		}
	}
	for id, p := range t.mined {
		if p.height > height {
			delete(t.mined, id)
		}
	}
}

// add puts a block on top.
func (t *track) add(b *parsedBlock) {
	t.points = append(t.points, b.point)
	t.keep(b)
	for _, tx := range b.txs {
		t.mined[tx.id] = place{b.height, tx.fee}
	}
	if extra := len(t.points) - keptPoints; extra > keptPoints/10 {
		t.points, t.base = slices.Clone(t.points[extra:]), t.base+int64(extra)
	}
	if to := b.height - keptMined; to > t.lowest+keptMined/10 {
		for id, p := range t.mined {
			if p.height < to {
				delete(t.mined, id)
			}
		}
		t.lowest = to
	}
}

// keep keeps the contents of a block for a while.
func (t *track) keep(b *parsedBlock) {
	t.parsed[b.height] = b
	if len(t.parsed) > 2*keptBlocks {
		for h := range t.parsed {
			if h < b.height-keptBlocks || h > b.height+keptBlocks {
				delete(t.parsed, h)
			}
		}
	}
}

// mostRead is how many blocks one request reads.
const mostRead = 10

// grow reads blocks up to a height, or the newest.
func (p *peer) grow(ctx context.Context, s *client.Session, t *track, tip client.Tip, height int64) error {
	for height = min(height, tip.Height); t.top() < height; {
		if err := p.read(ctx, s, t, t.top(), min(mostRead, height-t.top()), t.add); err != nil {
			return err
		}
	}
	return nil
}

// read reads so many blocks after one of the track.
func (p *peer) read(ctx context.Context, s *client.Session, t *track, after, count int64, each func(*parsedBlock)) error {
	from, _ := t.at(after)
	at, _, err := s.Intersect(ctx, []client.Point{from})
	if err != nil {
		return err
	}
	last := client.Point{ID: from.ID, Slot: from.Slot}
	return s.Read(ctx, at, int(count), func(told *client.Block) error {
		after++
		b, err := p.parse(told, after, last)
		if err != nil {
			return err
		}
		last = b.point
		each(b)
		return nil
	})
}
