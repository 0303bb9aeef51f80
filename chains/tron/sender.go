package tron

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
)

// Sender signs and sends spends of a connector's hot wallet. It alone holds a private key, or asks the signer for it.
type Sender struct {
	*Connector
	keys keys
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the key of its hot wallet, 1/0 of the account. The seed is not kept. If the key is not the one of the xpub,
// the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	secret, err := addresses.PrivateFromSeed(seed, hotPath)
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", Network, err)
	}
	defer clear(secret)
	key, err := crypto.ToECDSA(secret)
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", Network, ErrKey)
	}
	if crypto.PubkeyToAddress(key.PublicKey) != c.hot {
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	return &Sender{Connector: c, keys: seedKey{key}}, nil
}

// NewRemoteSender gives a connector the signer with the key of its hot wallet. The signer is not asked yet.
func NewRemoteSender(c *Connector, signer *remotesigner.Signer) (*Sender, error) {
	public, err := hotKey(c.cfg.XPub)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", Network, err)
	}
	return &Sender{Connector: c, keys: remoteKey{public, signer}}, nil
}

// errForbidden says that a transaction is of a kind that is never signed. A transaction of another kind could give the account away.
var errForbidden = errors.New("not a transaction that is ever signed")

// signed signs a transaction, after it was read again from its bytes: only moves of TRX, and calls of transfer or balanceOf of a token, by
// the hot wallet itself.
func (s *Sender) signed(data []byte) (envelope, error) {
	if err := s.maySign(data); err != nil {
		return envelope{}, err
	}
	e := envelope{raw: data}
	signature, err := s.keys.sign(e.id())
	if err != nil {
		return envelope{}, err
	}
	signature[64] += 27 // as wallets write it
	e.signature = signature
	if by, err := e.signer(); err != nil || by != s.hot {
		return envelope{}, errors.New("the signature does not hold")
	}
	return e, nil
}

// maySign is nil for the kinds of transactions that are signed.
func (s *Sender) maySign(data []byte) error {
	r, err := readRaw(data)
	if err != nil {
		return err
	}
	owner, ok := r.owner()
	if !ok || owner != s.hot || r.permission != 0 || string(r.encode()) != string(data) {
		return errForbidden
	}
	switch r.kind {
	case kindTransfer:
		if t, ok := readTransfer(r.parameter); ok && t.units > 0 && r.typeURL == t.raw().typeURL {
			return nil
		}
	case kindTrigger:
		t, ok := readTrigger(r.parameter)
		if _, _, transfers := readTransferCall(t.data); ok && t.value == 0 && r.typeURL == t.raw().typeURL &&
			(transfers || string(t.data) == string(asks(selectorBalance, s.hot))) {
			return nil
		}
	}
	return errForbidden
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
