package ton

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"

	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains"
)

// wallets are the jetton wallets of accounts, by what the masters compute.
type wallets struct {
	sync.Mutex
	known map[holder]held
}

// holder names an account as the owner of units of a jetton.
type holder struct{ master, owner account }

// held is a jetton wallet.
type held struct {
	wallet   account
	verified bool // the wallet itself names its owner and its master
}

// errNoMaster says that there is no contract at the address of a jetton's master.
var errNoMaster = fmt.Errorf("%w: no contract is at the address of the token", chains.ErrUnpayable)

// wallet returns the jetton wallet of an owner, as the pinned master computes it. Where there is a contract already, it must name the same owner
// and master. Where the master is not deployed by that block the error is errNoMaster: nobody has units of it.
func (c *Connector) wallet(ctx context.Context, n node, t token, owner account, seqno int64) (account, error) {
	key := holder{t.master, owner}
	c.wallets.Lock()
	h, known := c.wallets.known[key]
	c.wallets.Unlock()
	if known && h.verified {
		return h.wallet, nil
	}
	if !known {
		answer, err := n.Client.Run(ctx, t.master.String(), "get_wallet_address", seqno, owner.slice())
		if err != nil {
			return account{}, err
		}
		if answer == nil {
			return account{}, errNoMaster
		}
		if len(answer) != 1 {
			return account{}, odd("the master of %s computes no wallet", t.symbol)
		}
		if h.wallet, err = readAddress(answer[0].Cell); err != nil {
			return account{}, odd("the master of %s: %v", t.symbol, err)
		}
	}
	w, err := c.holds(ctx, n, t, h.wallet, owner, seqno)
	if err != nil {
		return account{}, err
	}
	h.verified = w != nil
	c.wallets.Lock()
	defer c.wallets.Unlock()
	if c.wallets.known == nil {
		c.wallets.known = map[holder]held{}
	}
	c.wallets.known[key] = h
	return h.wallet, nil
}

// holds returns what a jetton wallet holds after a block, nil where there is no contract yet. One that names another owner or master is an error.
func (c *Connector) holds(ctx context.Context, n node, t token, wallet, owner account, seqno int64) (*big.Int, error) {
	answer, err := n.Client.Run(ctx, wallet.String(), "get_wallet_data", seqno)
	if err != nil || answer == nil {
		return nil, err
	}
	if len(answer) < 3 || answer[0].Number == nil || answer[0].Number.Sign() < 0 || answer[0].Number.BitLen() > maxBits {
		return nil, odd("the wallet %s of %s does not say what it holds", wallet, t.symbol)
	}
	of, wrong := readAddress(answer[1].Cell)
	by, bad := readAddress(answer[2].Cell)
	if wrong != nil || bad != nil || of != owner || by != t.master {
		return nil, odd("the wallet %s of %s names another owner or master", wallet, t.symbol)
	}
	return answer[0].Number, nil
}

// readAddress reads an address out of a cell.
func readAddress(root *cell.Cell) (account, error) {
	if root == nil {
		return account{}, errCell
	}
	a, err := root.BeginParse().LoadAddr()
	if err != nil {
		return account{}, err
	}
	out, ok := accountOf(a)
	if !ok {
		return account{}, errCell
	}
	return out, nil
}

// jettonWallets are the jetton wallets of an account, with their tokens.
func (c *Connector) jettonWallets(ctx context.Context, n node, owner account, seqno int64) (map[account]token, error) {
	out := map[account]token{}
	for _, t := range c.known.Load().jettons() {
		w, err := c.wallet(ctx, n, t, owner, seqno)
		if errors.Is(err, errNoMaster) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[w] = t
	}
	return out, nil
}

// ordersUnits returns the order of a message to a jetton wallet of its sender. Other messages to it are coins, as those to anybody: it may keep them.
func ordersUnits(jettons map[account]token, m *message) (token, order, bool) {
	t, own := jettons[m.to]
	if !own {
		return token{}, order{}, false
	}
	o, ok := readOrder(m.body)
	return t, o, ok
}
