package tron

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
)

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds private keys, or asks the signer for them.
type Sender struct {
	*Connector
	keys keys
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the keys of the account. The seed is not kept. If the key of the hot wallet is not the one of the xpub, the
// error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	keys, err := keysOf(seed)
	if err != nil {
		return nil, fmt.Errorf("network %s: keys: %w", Network, err)
	}
	if crypto.PubkeyToAddress(keys.hot.PublicKey) != c.hot {
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	return &Sender{c, keys}, nil
}

// NewRemoteSender gives a connector the signer with the keys of the account. The signer is not asked yet.
func NewRemoteSender(c *Connector, signer *remotesigner.Signer) *Sender {
	return &Sender{c, remoteKeys{c.cfg.XPub, signer}}
}

// errForbidden says that a transaction is of a kind that is never signed. A transaction of another kind could give the account away.
var errForbidden = errors.New("not a transaction that is ever signed")

// signed signs a transaction of a wallet, after it was read again from its bytes: only moves of TRX, calls of transfer or balanceOf of a
// token that is watched, and what the hot wallet does with its stake for energy, by the wallet itself. A deposit address pays the hot
// wallet alone.
func (s *Sender) signed(w wallet, data []byte) (envelope, error) {
	if err := s.maySign(w, data); err != nil {
		return envelope{}, err
	}
	e := envelope{raw: data}
	signature, err := s.keys.sign(w, e.id())
	if err != nil {
		return envelope{}, err
	}
	signature[64] += 27 // as wallets write it
	e.signature = signature
	if by, err := e.signer(); err != nil || by != w.address {
		return envelope{}, errors.New("the signature does not hold")
	}
	return e, nil
}

// maySign is nil for the kinds of transactions that are signed.
func (s *Sender) maySign(w wallet, data []byte) error {
	r, err := readRaw(data)
	if err != nil {
		return err
	}
	owner, ok := r.owner()
	if !ok || owner != w.address || r.permission != 0 || string(r.encode()) != string(data) {
		return errForbidden
	}
	switch r.kind {
	case kindTransfer:
		if t, ok := readTransfer(r.parameter); ok && t.units > 0 && r.typeURL == t.raw().typeURL && s.mayPay(w, t.to) {
			return nil
		}
	case kindTrigger:
		t, ok := readTrigger(r.parameter)
		to, _, transfers := readTransferCall(t.data)
		if ok && t.value == 0 && r.typeURL == t.raw().typeURL && s.watches(t.contract) &&
			(transfers && s.mayPay(w, to) || string(t.data) == string(asks(selectorBalance, w.address))) {
			return nil
		}
	default:
		if b, ok := readBond(r.kind, r.parameter); ok && w.branch == addresses.HotBranch && (b.units > 0 || b.kind == kindWithdraw) &&
			r.typeURL == b.raw().typeURL && bytes.Equal(r.parameter, b.raw().parameter) {
			return nil
		}
	}
	return errForbidden
}

// mayPay reports whether a wallet pays an account at all.
func (s *Sender) mayPay(w wallet, to common.Address) bool {
	return w.branch == addresses.HotBranch || to == s.hot
}

// watches reports whether a contract is that of a token.
func (c *Connector) watches(contract common.Address) bool {
	_, watched := c.known.Load().byContract[contract]
	return watched
}

// signer recovers the account that has signed. A signature of the other half of the curve's order is nobody's.
func (e envelope) signer() (a common.Address, err error) {
	signature := append([]byte(nil), e.signature...)
	if signature[64] >= 27 {
		signature[64] -= 27
	}
	r, v := signature[:64], signature[64]
	if !crypto.ValidateSignatureValues(v, bigOf(r[:32]), bigOf(r[32:]), true) {
		return a, errors.New("the signature is not of its one form")
	}
	digest := e.id()
	key, err := crypto.SigToPub(digest[:], signature)
	if err != nil {
		return a, err
	}
	return crypto.PubkeyToAddress(*key), nil
}
