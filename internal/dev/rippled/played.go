package rippled

// played is what a transaction of the fake's own does, which nobody else may send.
type played struct {
	others    []Account // changed beside its account and destination
	entries   object    // of other kinds, as metadata tells of them
	delivers  bool      // metadata names what was delivered
	delivered int64     // in drops
	result    string    // that it fails by; "" where it does not
	deletes   bool      // the account gives all it has, and is gone
	from      Account   // gives what is delivered, where it is not the account itself
}

// do carries out a played transaction.
func (p *played) do(c *chain, tx *transaction, v *view, from *root) string {
	switch {
	case p.result != "":
		return p.result
	case p.deletes:
		p.delivered = from.balance
		c.give(v, tx.destination, from.balance)
		*from = root{}
	case p.delivered > 0 && p.from != Account{}:
		giver := v.get(p.from)
		giver.balance -= p.delivered
		v.put(p.from, giver)
		c.give(v, tx.destination, p.delivered)
	case p.delivered > 0:
		from.balance -= p.delivered
		c.give(v, tx.destination, p.delivered)
	}
	return tesSUCCESS
}

// currency and issuer of the played issued currency.
const currency = "USD"

// maker sells XRP for the issued currency, and issues it.
var maker = KeyOf("maker")

const makerBalance = 1_000_000_000 * drops

// PayPartly plays a partial payment in an issued currency: it says amount, and delivers less. Both are in drops.
func (n *Node) PayPartly(to string, tag *uint32, amount, delivered int64) (txid string, err error) {
	return n.play(payment, to, tag, partialPayment, func(o object) object {
		return o.drops(fieldAmount, amount).raw(fieldSendMax, iou(1, currency, maker.Account()))
	}, &played{others: []Account{maker.Account()}, delivers: true, delivered: delivered, from: maker.Account()})
}

// PayIssued plays a payment of units of an issued currency.
func (n *Node) PayIssued(to string, tag *uint32, units int64) (txid string, err error) {
	line := object{}.uint16(fieldEntryType, 0x72).hash(fieldLedgerIndex, half("a line"))
	line = line.object(fieldFinal, object{}.raw(fieldBalance, iou(units, currency, maker.Account())))
	return n.play(payment, to, tag, 0, func(o object) object {
		return o.raw(fieldAmount, iou(units, currency, maker.Account()))
	}, &played{entries: object{{fieldModified, append(line.bytes(), endOfObject...)}}})
}

// PayInVain plays a payment that is in a ledger and moves nothing, since no path delivers it.
func (n *Node) PayInVain(to string, tag *uint32, amount int64) (txid string, err error) {
	return n.play(payment, to, tag, 0, func(o object) object {
		return o.drops(fieldAmount, amount).raw(fieldSendMax, iou(1, currency, maker.Account()))
	}, &played{result: tecPATHDRY})
}

// Leave plays that an account of a known key is deleted, and gives all it has to another.
func (n *Node) Leave(key Key, to string, tag *uint32) (txid string, err error) {
	return n.playBy(key, accountDelete, to, tag, 0, func(o object) object { return o }, &played{deletes: true, delivers: true})
}

// FinishEscrow plays that money comes out of an escrow. The transaction is Rich's, and so was the money.
func (n *Node) FinishEscrow(to string, amount int64) (txid string, err error) {
	entry := object{}.uint16(fieldEntryType, 0x75).hash(fieldLedgerIndex, half("an escrow"))
	entry = entry.object(fieldFinal, object{}.drops(fieldAmount, amount).account(fieldAccount, Rich.Account()))
	receiver, err := AccountOf(to)
	if err != nil {
		return "", err
	}
	return n.play(escrowFinish, "", nil, 0, func(o object) object { return o.account(fieldOwner, Rich.Account()).uint32(fieldOfferSeq, 1) },
		&played{entries: object{{fieldDeleted, append(entry.bytes(), endOfObject...)}}, delivered: amount}, receiver)
}

// play makes a transaction of Rich's.
func (n *Node) play(kind uint16, to string, tag *uint32, flags uint32, more func(object) object, p *played, receiver ...Account) (string, error) {
	return n.playBy(Rich, kind, to, tag, flags, more, p, receiver...)
}

// playBy makes a transaction by a key. It waits for the next ledger as others do.
func (n *Node) playBy(key Key, kind uint16, to string, tag *uint32, flags uint32, more func(object) object, p *played, receiver ...Account) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	o := more(n.begin(key, kind, flags))
	if to != "" {
		destination, err := AccountOf(to)
		if err != nil {
			return "", err
		}
		o = o.account(fieldDestination, destination)
	}
	if tag != nil {
		o = o.uint32(fieldTag, *tag)
	}
	tx, err := readTransaction(signed(key, o))
	if err != nil {
		return "", err
	}
	tx.played = p
	if len(receiver) > 0 { // no field of the transaction names it
		tx.destination = receiver[0]
	}
	return n.taken(tx)
}
