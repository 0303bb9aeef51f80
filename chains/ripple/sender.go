package ripple

import (
	"errors"
	"fmt"

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

// NewSender gives a connector the keys of its account: 1/0 for the hot wallet, 0/index for deposit addresses. The seed is not kept. If the
// hot wallet's key is not the one of the xpub, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	account, err := addresses.KeysOf(seed, AccountPath)
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", Network, err)
	}
	if string(account.Hot().PubKey().SerializeCompressed()) != string(c.hotKey) {
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	return &Sender{Connector: c, keys: &seedKeys{account}}, nil
}

// NewRemoteSender gives a connector the signer with the keys of its account. The signer is not asked yet.
func NewRemoteSender(c *Connector, signer *remotesigner.Signer) *Sender {
	return &Sender{Connector: c, keys: remoteKeys{signer}}
}

// signed signs a transaction of a wallet, after it was read again from its bytes: only payments of XRP, and AccountSets that change nothing
// or want destination tags.
func (s *Sender) signed(w wallet, o order) ([]byte, error) {
	again, _, err := readOrder(o.encode(nil))
	if err != nil {
		return nil, err
	}
	if again.from != w.account || accountOf(again.key) != w.account || again.kind == typePayment && again.to == w.account {
		return nil, errForbidden
	}
	signature, err := s.keys.sign(w, again.digest())
	if err != nil {
		return nil, err
	}
	blob := o.encode(signature)
	if o, signature, err := readOrder(blob); err != nil || !o.signedBy(signature) {
		return nil, errors.New("the signature does not hold")
	}
	return blob, nil
}
