package addresses

import (
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// The branches of an account: DepositBranch/index are the deposit addresses, and HotBranch/0 is the hot wallet.
const (
	DepositBranch = 0
	HotBranch     = 1
)

// Keys are the private keys of an account of secp256k1, for the signer only. It holds that of the hot wallet, and derives those of deposit
// addresses when they sign. It is safe for use by many goroutines.
type Keys struct {
	hot      *btcec.PrivateKey
	deriving sync.Mutex // an extended key remembers its public key at the first derivation
	deposits *hdkeychain.ExtendedKey
}

// KeysOf derives the keys of the account at a path such as m/44'/60'/0'. The seed is not kept. Errors are ErrSeed and ErrPath.
func KeysOf(seed []byte, account string) (*Keys, error) {
	node, err := nodeAt(seed, account)
	if err != nil {
		return nil, err
	}
	defer node.Zero()
	payouts, err := node.Derive(HotBranch)
	if err != nil {
		return nil, ErrPath
	}
	defer payouts.Zero()
	hot, err := privateChild(payouts, 0)
	if err != nil {
		return nil, err
	}
	deposits, err := node.Derive(DepositBranch)
	if err != nil {
		return nil, ErrPath
	}
	return &Keys{hot: hot, deposits: deposits}, nil
}

// Hot returns the key of the hot wallet, which is kept: nobody wipes it.
func (k *Keys) Hot() *btcec.PrivateKey { return k.hot }

// Deposit derives the key of a deposit address. The caller wipes it.
func (k *Keys) Deposit(index uint32) (*btcec.PrivateKey, error) {
	k.deriving.Lock()
	defer k.deriving.Unlock()
	return privateChild(k.deposits, index)
}

// privateChild derives a private key. Its intermediate form is wiped.
func privateChild(parent *hdkeychain.ExtendedKey, index uint32) (*btcec.PrivateKey, error) {
	node, err := parent.Derive(index)
	if err != nil {
		return nil, ErrPath
	}
	defer node.Zero()
	key, err := node.ECPrivKey()
	if err != nil {
		return nil, ErrPath
	}
	return key, nil
}

// PublicAt returns the public key of branch/index under an account's extended public key. Errors are ErrXPub and ErrPath.
func PublicAt(xpub string, branch, index uint32) (*btcec.PublicKey, error) {
	account, err := parseAccount(xpub)
	if err != nil {
		return nil, err
	}
	node, err := descend(account, []uint32{branch, index})
	if err != nil {
		return nil, err
	}
	key, err := node.ECPubKey()
	if err != nil {
		return nil, ErrXPub
	}
	return key, nil
}
