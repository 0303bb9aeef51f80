package evm

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
)

// remoteKeys are the keys of the account behind the operator's signer. This process knows the extended public key alone.
type remoteKeys struct {
	xpub   string
	signer *remotesigner.Signer
}

// NewRemoteSender gives a connector the signer with the keys of its account. The signer is not asked yet.
func NewRemoteSender(c *Connector, signer *remotesigner.Signer) *Sender {
	return &Sender{Connector: c, keys: &remoteKeys{c.cfg.XPub, signer}, signer: types.LatestSignerForChainID(c.chainID())}
}

// sign asks for a signature. One of another key than the wallet's is an error.
func (k *remoteKeys) sign(w wallet, digest common.Hash) ([]byte, error) {
	public, err := addresses.PublicAt(k.xpub, w.branch, w.index)
	if err != nil {
		return nil, err
	}
	if crypto.PubkeyToAddress(*public.ToECDSA()) != w.address {
		return nil, fmt.Errorf("%s: %w", w.path(), ErrKey)
	}
	return k.signer.Secp256k1(w.path(), digest, public.ToECDSA())
}
