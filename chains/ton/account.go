package ton

import (
	"crypto/ed25519"
	"fmt"

	"github.com/xssnick/tonutils-go/address"
	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/ton/wallet"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains"
	"causeway/chains/addresses"
)

// account is the place of a contract: a workchain, and the hash of its first state.
type account struct {
	workchain int8
	id        [32]byte
}

// String writes an account as a wallet's address that does not bounce, which is the spelling of Match.
func (a account) String() string { return a.address().Bounce(false).String() }

// address is the account in the words of cells.
func (a account) address() *address.Address {
	return address.NewAddress(0, byte(a.workchain), a.id[:])
}

// accountOf reads an address out of a cell. Addresses of other kinds, and none, are the zero account.
func accountOf(a *address.Address) (out account, ok bool) {
	if a == nil || a.Type() != address.StdAddress || a.BitsLen() != 256 {
		return out, false
	}
	out.workchain = int8(a.Workchain())
	copy(out.id[:], a.Data())
	return out, true
}

// readAccount reads an address as people write it.
func readAccount(text string) (account, error) {
	canonical, err := addresses.Validate(Network, text)
	if err != nil {
		return account{}, err
	}
	parsed, err := address.ParseAddr(canonical)
	if err != nil {
		return account{}, fmt.Errorf("%w: %w", chains.ErrFormat, err)
	}
	out, ok := accountOf(parsed)
	if !ok {
		return account{}, chains.ErrFormat
	}
	return out, nil
}

// slice is the account as the argument of a contract's method.
func (a account) slice() *cell.Cell { return cell.BeginCell().MustStoreAddr(a.address()).EndCell() }

// The subwallets of the key. Wallets by other programs have the first, which is the hot wallet; those of deposits come after it.
const hotSubwallet = wallet.DefaultSubwallet

// subwalletOf is the subwallet of a deposit index.
func subwalletOf(index uint32) uint32 { return hotSubwallet + 1 + index }

// walletOf returns the account of a wallet (v4r2) of a key, and the first state by which it is deployed.
func walletOf(key ed25519.PublicKey, subwallet uint32) (account, *tlb.StateInit, error) {
	state, err := wallet.GetStateInit(key, wallet.V4R2, subwallet)
	if err != nil {
		return account{}, nil, err
	}
	first, err := tlb.ToCell(state)
	if err != nil {
		return account{}, nil, err
	}
	var a account
	copy(a.id[:], first.Hash())
	return a, state, nil
}
