package rippled

import (
	"fmt"
	"math"
)

// Close makes ledgers, four seconds apart, and returns the index of the last.
func (n *Node) Close(count int) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	for range count {
		n.close(0)
	}
	return int64(n.validated().index)
}

// Height returns the index of the validated ledger.
func (n *Node) Height() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return int64(n.validated().index)
}

// Waiting returns the number of transactions that wait for a ledger.
func (n *Node) Waiting() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.applied) + len(n.queue) + len(n.held)
}

// Fund sends drops from Rich, with a destination tag if there is one. The payment waits for a ledger.
func (n *Node) Fund(to string, tag *uint32, amount int64) (txid string, err error) {
	return n.Send(Rich, to, tag, amount)
}

// Send sends drops with a key that is known.
func (n *Node) Send(from Key, to string, tag *uint32, amount int64) (txid string, err error) {
	destination, err := AccountOf(to)
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	o := n.begin(from, payment, 0).drops(fieldAmount, amount).account(fieldDestination, destination)
	if tag != nil {
		o = o.uint32(fieldTag, *tag)
	}
	tx, err := readTransaction(signed(from, o))
	if err != nil {
		return "", err
	}
	return n.taken(tx)
}

// Set sets a flag of an account by the number that an AccountSet has for it: 1 wants tags, 3 wants no XRP, 9 wants nothing of strangers.
func (n *Node) Set(key Key, flag uint32) (txid string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	tx, err := readTransaction(signed(key, n.begin(key, accountSet, 0).uint32(fieldSetFlag, flag)))
	if err != nil {
		return "", err
	}
	return n.taken(tx)
}

// begin is the start of each transaction of the fake's own. It never expires, and pays whatever the open ledger costs.
func (n *Node) begin(key Key, kind uint16, flags uint32) object {
	o := object{}.uint16(fieldType, kind).uint32(fieldSequence, n.ahead(key.Account()).get(key.Account()).sequence)
	if n.network > 1024 {
		o = o.uint32(fieldNetwork, uint32(n.network))
	}
	fee := max(n.openFee, n.minimum)
	if kind == accountDelete {
		fee = n.increment
	}
	return o.uint32(fieldFlags, flags|fullyCanonical).uint32(fieldLast, math.MaxUint32).drops(fieldFee, fee).
		blob(fieldKey, key.public()).account(fieldAccount, key.Account())
}

// signed signs an object, and writes it.
func signed(key Key, o object) []byte {
	return o.blob(fieldSignature, key.sign(half(prefixSigning, o.bytes()))).bytes()
}

// taken has a transaction of the fake's own wait for the next ledger.
func (n *Node) taken(tx *transaction) (string, error) {
	result := n.enter(tx)
	if result != terQUEUED && !claimed(result) {
		return "", fmt.Errorf("the transaction is refused: %s", result)
	}
	return hexOf(tx.id[:]), nil
}
