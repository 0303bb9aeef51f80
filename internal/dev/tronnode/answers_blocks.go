package tronnode

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// printed returns a block as JSON. It is kept in hex, as that is asked for again and again.
func (c *chain) printed(b *block, p printer) json.RawMessage {
	if p.visible {
		out, _ := json.Marshal(p.block(b))
		return out
	}
	if b.printed == nil {
		b.printed, _ = json.Marshal(p.block(b))
	}
	return b.printed
}

func (c *chain) block(number int64) *block {
	if number < 0 || number >= int64(len(c.blocks)) {
		return nil
	}
	return c.blocks[number]
}

func (c *chain) show(b *block, q *question) any {
	if b == nil {
		return object{}
	}
	return c.printed(b, q.printer)
}

func newest(c *chain, q *question) any { return c.show(c.head(), q) }

func byNumber(c *chain, q *question) any { return c.show(c.block(q.number(q.Num)), q) }

// several answers the blocks from startNum up to endNum, without the last.
func several(c *chain, q *question) any {
	start, end := q.number(q.Start), q.number(q.End)
	if start < 0 || end <= start || end-start > 100 {
		return object{}
	}
	return c.list(start, end, q)
}

func latest(c *chain, q *question) any {
	n := q.number(q.Num)
	if n <= 0 || n > 100 {
		return object{}
	}
	return c.list(max(int64(len(c.blocks))-n, 0), int64(len(c.blocks)), q)
}

func (c *chain) list(start, end int64, q *question) any {
	var list []any
	for i := start; i < end; i++ {
		if b := c.block(i); b != nil {
			list = append(list, c.printed(b, q.printer))
		}
	}
	if list == nil {
		return object{}
	}
	return object{"block": list}
}

// byEither answers a block by its id or number, with its transactions only if detail is asked for.
func byEither(c *chain, q *question) any {
	text := string(q.IDOrNum)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	b := c.head()
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		b = c.block(number)
	} else if text != "" {
		b = c.blockByID(text)
	}
	if b == nil || q.Detail {
		return c.show(b, q)
	}
	o := q.block(b)
	delete(o, "transactions")
	return o
}

func byID(c *chain, q *question) any { return c.show(c.blockByID(q.Value), q) }

func (c *chain) blockByID(text string) *block {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 32 {
		return nil
	}
	var number int64
	for _, b := range raw[:8] {
		number = number<<8 | int64(b)
	}
	if b := c.block(number); b != nil && b.id == [32]byte(raw) {
		return b
	}
	return nil
}

// find returns a transaction in a block that is seen.
func (c *chain) find(id [32]byte) (*mined, *block) {
	p, ok := c.places[id]
	if !ok || c.block(p.block.number) != p.block {
		return nil, nil
	}
	return &p.block.txs[p.index], p.block
}

func transactionByID(c *chain, q *question) any {
	id, ok := q.hash()
	if !ok {
		return object{}
	}
	if tx, _ := c.find(id); tx != nil {
		return q.transaction(tx.transaction, tx.what, tx.result)
	}
	return fromPending(c, q)
}

func infoByID(c *chain, q *question) any {
	id, _ := q.hash()
	if tx, b := c.find(id); tx != nil {
		return q.info(tx, b)
	}
	return object{}
}

func infos(c *chain, q *question) any {
	number := q.number(q.Num)
	if number <= 0 {
		return object{}
	}
	list := []object{}
	if b := c.block(number); b != nil {
		for i := range b.txs {
			list = append(list, q.info(&b.txs[i], b))
		}
	}
	return list
}

// fromPending answers a transaction that waits for a block. Only the newest view has any.
func fromPending(c *chain, q *question) any {
	id, _ := q.hash()
	for _, tx := range c.waiting {
		if what, refused := tx.order(); tx.id == id && refused == nil && c.head() == c.tip {
			return q.transaction(tx, what, resultSuccess)
		}
	}
	return object{}
}

func pending(c *chain, _ *question) any {
	ids := []string{}
	for _, tx := range c.waiting {
		ids = append(ids, hex32(tx.id))
	}
	return object{"txId": ids}
}

func pendingSize(c *chain, _ *question) any {
	return object{}.number("pendingSize", int64(len(c.waiting)))
}
