package monero

import (
	"context"
	"errors"
	"fmt"

	"filippo.io/edwards25519"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/monero/client"
)

// wallet is a wallet server, which keeps what it has read of the chain. Its keys are given to it here, so it may be lost at any time.
type wallet struct {
	*Connector
	server *client.Client
	secret *edwards25519.Scalar // the secret spend key; nil where it only sees

	turn  chan struct{} // one caller at a time: a server does one thing at a time
	made  uint32        // subaddresses that it is known to have
	kept  int64         // the height at which its file was written last; 0 where that is not known
	told  outputs
	ended ended
}

// newWallet is the account's wallet on a server. Secret is nil for one that only sees.
func (c *Connector) newWallet(url string, secret *edwards25519.Scalar) *wallet {
	return &wallet{Connector: c, secret: secret, server: client.NewWallet(url, c.cfg.WalletTimeout), turn: make(chan struct{}, 1)}
}

// take waits for the turn at the server, which ends with give. The error is ErrDown: somebody else has it for too long.
func (w *wallet) take(ctx context.Context) (give func(), err error) {
	select {
	case w.turn <- struct{}{}:
		return func() { <-w.turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: the wallet server is busy: %w", chains.ErrDown, ctx.Err())
	}
}

// entry is an output in the words of a wallet.
type entry struct {
	Units    uint64 `json:"amount"`
	Height   int64  `json:"block_height"`
	Frozen   bool
	Global   uint64 `json:"global_index"`
	Image    string `json:"key_image"` // "" where the wallet was not shown it
	Key      string `json:"pubkey"`
	Spent    bool   // in the mempool, too
	Unlocked bool
	Txid     string                 `json:"tx_hash"`
	At       struct{ Minor uint32 } `json:"subaddr_index"`
}

// The codes of errors of a wallet server (wallet_rpc_server_error_codes.h).
const (
	codeNoWallet  = -13
	codeNoAddress = -15
)

// account names the account, the first of the wallet.
func account(more map[string]any) map[string]any {
	out := map[string]any{"account_index": 0}
	for name, value := range more {
		out[name] = value
	}
	return out
}

// ready has the server read the chain with the account's wallet, up to its node's best block, and returns this block's height. The caller
// has the turn.
func (w *wallet) ready(ctx context.Context) (height int64, err error) {
	needed, err := w.recognise(ctx)
	if err != nil {
		return 0, err
	}
	if err := w.unlock(ctx); err != nil {
		return 0, fmt.Errorf("open the wallet: %w", err)
	}
	if err := w.address(ctx, needed); err != nil {
		return 0, fmt.Errorf("subaddresses of the wallet: %w", err)
	}
	if err := w.server.Call(ctx, nil, "refresh", nil); err != nil {
		return 0, err
	}
	var told struct{ Height int64 }
	if err := w.server.Call(ctx, &told, "get_height", nil); err != nil {
		return 0, err
	}
	return told.Height - 1, w.keep(ctx, told.Height-1)
}

// keepEvery is after how many blocks a wallet writes its file. A server that is killed reads from there on.
const keepEvery = 30

// keep has the server write the wallet's file, once it has read enough since the last time.
func (w *wallet) keep(ctx context.Context, height int64) error {
	if w.kept > 0 && height < w.kept+keepEvery {
		return nil
	}
	if err := w.server.Call(ctx, nil, "store", nil); err != nil {
		return fmt.Errorf("write the wallet's file: %w", err)
	}
	w.kept = max(height, 1)
	return nil
}

// file is the name of the wallet on its server.
func (w *wallet) file() string {
	if w.secret == nil {
		return "causeway-view-" + w.view.main[:16]
	}
	return "causeway-spend-" + w.view.main[:16]
}

// password protects the file of the wallet that can spend: whoever has the file alone can spend nothing.
func (w *wallet) password() string {
	if w.secret == nil {
		return ""
	}
	return keccak([]byte("causeway wallet file"), w.secret.Bytes()).String()
}

// unlock opens the account's wallet, and makes it where there is none. Another one that is open is left alone.
func (w *wallet) unlock(ctx context.Context) error {
	is, err := w.isOpen(ctx)
	if is || client.Code(err) != codeNoWallet {
		return err
	}
	w.made, w.kept, w.told, w.ended = 0, 0, outputs{}, ended{}
	if opened := w.server.Call(ctx, nil, "open_wallet", map[string]any{"filename": w.file(), "password": w.password()}); opened != nil {
		keys := map[string]any{"filename": w.file(), "password": w.password(), "restore_height": w.cfg.Start, "address": w.view.main,
			"viewkey": fmt.Sprintf("%x", w.view.secret.Bytes())}
		if w.secret != nil {
			keys["spendkey"] = fmt.Sprintf("%x", w.secret.Bytes())
		}
		if err := w.server.Call(ctx, nil, "generate_from_keys", keys); err != nil {
			return errors.Join(opened, err)
		}
	}
	if _, err := w.isOpen(ctx); err != nil {
		return err
	}
	return w.server.Call(ctx, nil, "auto_refresh", map[string]any{"enable": false})
}

// isOpen reports whether the account's wallet is open.
func (w *wallet) isOpen(ctx context.Context) (bool, error) {
	var told struct{ Address string }
	err := w.server.Call(ctx, &told, "get_address", account(map[string]any{"address_index": []int{0}}))
	if err == nil && told.Address != w.view.main {
		err = odd("the wallet server has another wallet open")
	}
	return err == nil, err
}

// together is how many subaddresses are made at once.
const together = 1_000

// address makes the subaddresses up to a minor index. A wallet finds nothing at others, so they are made before it reads on.
func (w *wallet) address(ctx context.Context, needed uint32) error {
	if w.made > needed {
		return nil
	}
	err := w.server.Call(ctx, nil, "get_address", account(map[string]any{"address_index": []uint32{needed}}))
	for client.Code(err) == codeNoAddress {
		var told struct {
			Last uint32 `json:"address_index"`
		}
		if err = w.server.Call(ctx, &told, "create_address", account(nil)); err != nil {
			return err
		}
		for told.Last < needed && err == nil {
			n := min(together, needed-told.Last)
			err = w.server.Call(ctx, nil, "create_address", account(map[string]any{"count": n}))
			told.Last += n
		}
	}
	if err == nil {
		w.made = needed + 1
	}
	return err
}

// minorOf returns the minor index of an address of the account, as far as it is known.
func (c *Connector) minorOf(address string) (uint32, bool) {
	if address == c.view.main {
		return 0, true
	}
	spend, public, err := addresses.MoneroKeys(address)
	if err != nil || !c.view.sees(spend, public) {
		return 0, false
	}
	return c.among(spend)
}
