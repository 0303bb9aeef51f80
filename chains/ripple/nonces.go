package ripple

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"causeway/chains"
	"causeway/chains/ripple/client"
)

// errNoAccount says that an address has no account on the ledger: it was never paid the reserve.
var errNoAccount = errors.New("the address has no account on the ledger")

// errUnfunded says so of an address of ours whose number is asked for. An account's first number is the index of the ledger that
// creates it, so there is none before.
func errUnfunded(address string) error {
	return fmt.Errorf("%w: %s has no account on the ledger yet: it must be paid at least the reserve first", chains.ErrShort, address)
}

// info reads an account in a ledger: by its index, "validated" or "current".
func info(ctx context.Context, n node, address string, ledger any) (*client.Account, int64, error) {
	var told client.Account
	err := n.Client.Call(ctx, &told, "account_info", map[string]any{"account": address, "ledger_index": ledger, "queue": ledger == "current"})
	if client.Says(err, "actNotFound") {
		return nil, 0, errNoAccount
	}
	if err != nil {
		return nil, 0, err
	}
	balance, err := strconv.ParseInt(told.Data.Balance, 10, 64)
	index, numbered := ledger.(int64)
	if err != nil || balance < 0 || told.Data.Account != address || told.Data.Sequence == 0 || told.Data.Owners < 0 || numbered && told.Index != index ||
		ledger != "current" && !told.Validated {
		return nil, 0, odd("account %s is told as another one", address)
	}
	return &told, balance, nil
}

// next is the first number unused in the open ledger and in the queue.
func next(a *client.Account) uint64 {
	if a.Queue.Count > 0 {
		return max(uint64(a.Data.Sequence), uint64(a.Queue.Highest)+1)
	}
	return uint64(a.Data.Sequence)
}

// NextNonce returns the first number of an address unused in ledgers, in the open one and in the queue. That of a deposit address several
// nodes have to tell, where there are several.
func (c *Connector) NextNonce(ctx context.Context, address string) (number uint64, err error) {
	if address != c.Hot() && c.node.Size() > 1 {
		return c.agreedNumber(ctx, address)
	}
	err = c.node.Use(ctx, func(n node) error {
		a, _, err := info(ctx, n, address, "current")
		if errors.Is(err, errNoAccount) {
			return errUnfunded(address)
		}
		if err != nil {
			return err
		}
		number = next(a)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("next number: %w", err)
	}
	return number, nil
}

// NonceAt returns the first number of an address unused in the ledgers up to a height; 0 where there was no account.
func (c *Connector) NonceAt(ctx context.Context, address string, height int64) (number uint64, err error) {
	err = c.node.Use(ctx, func(n node) (err error) {
		number, err = numberAt(ctx, n, address, max(height, 0))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("number at %d: %w", height, err)
	}
	return number, nil
}

// numberAt is NonceAt, as one node answers.
func numberAt(ctx context.Context, n node, address string, height int64) (uint64, error) {
	a, _, err := info(ctx, n, address, height)
	switch {
	case errors.Is(err, errNoAccount):
		return 0, nil
	case err != nil:
		return 0, lacks(height, err)
	}
	return uint64(a.Data.Sequence), nil
}

// Origin returns the sender of a transaction, and its number.
func (c *Connector) Origin(ctx context.Context, txid string) (origin chains.Origin, err error) {
	err = c.node.Use(ctx, func(n node) error {
		origin = chains.Origin{}
		told, err := look(ctx, n, txid)
		if err != nil || told == nil {
			return err
		}
		blob, _ := hex.DecodeString(told.Blob)
		fields, err := readObject(blob)
		var from account
		sequence, sender := find(fields, fieldSequence), find(fields, fieldAccount)
		if err != nil || sequence == nil || sender == nil || from.read(sender) != nil {
			return odd("a transaction %s without its sender and number", txid)
		}
		origin = chains.Origin{Txid: txid, From: from.String(), Nonce: int64(sequence.number())}
		return nil
	})
	if err != nil {
		return chains.Origin{}, fmt.Errorf("origin: %w", err)
	}
	return origin, nil
}
