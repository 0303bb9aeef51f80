package utxo

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
)

// remoteKeys are the keys of the account behind the operator's signer. This process knows the extended public key alone.
type remoteKeys struct {
	xpub, account string
	signer        *remotesigner.Signer
}

// NewRemoteSender gives a connector the signer with the keys of its account. The signer is not asked yet.
func NewRemoteSender(c *Connector, signer *remotesigner.Signer) *Sender {
	return &Sender{Connector: c, keys: &remoteKeys{c.cfg.XPub, c.coin.account, signer}, made: c.coinsSpent}
}

// sign asks for a signature. One of another key than the address's is an error.
func (k *remoteKeys) sign(at *chains.Wallet, digest [32]byte) (der, key []byte, err error) {
	branch, index := uint32(addresses.HotBranch), uint32(0)
	if at != nil {
		branch, index = addresses.DepositBranch, at.Index
	}
	public, err := addresses.PublicAt(k.xpub, branch, index)
	if err != nil {
		return nil, nil, err
	}
	signature, err := k.signer.Secp256k1(fmt.Sprintf("%s/%d/%d", k.account, branch, index), digest, public.ToECDSA())
	if err != nil {
		return nil, nil, err
	}
	var r, s btcec.ModNScalar
	if r.SetByteSlice(signature[:32]) || s.SetByteSlice(signature[32:64]) {
		return nil, nil, errors.New("a signature beyond the order of the curve")
	}
	return ecdsa.NewSignature(&r, &s).Serialize(), public.SerializeCompressed(), nil
}
