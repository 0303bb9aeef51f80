package solana

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"causeway/chains"
	"causeway/chains/addresses"
)

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// Sender signs and sends spends of a connector's hot wallet. It alone holds a private key.
type Sender struct {
	*Connector
	account *addresses.SoftKey
	key     *addresses.SoftKey // of the hot wallet

	mu    sync.Mutex
	rents map[int]uint64 // by the size of an account
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the account's key: the hot wallet is 1/0, deposit addresses are 0/index. The seed is not kept. If the account is
// not the one of the xpub, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	account, err := addresses.SoftAccount(seed, AccountPath)
	if err != nil {
		return nil, fmt.Errorf("network %s: account: %w", Network, err)
	}
	if account.XPub() != c.cfg.XPub {
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	hot, err := account.Child(hotBranch, 0)
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", Network, err)
	}
	if key(hot.Public()) != c.hot {
		return nil, fmt.Errorf("network %s: hot wallet: %w", Network, ErrKey)
	}
	return &Sender{Connector: c, account: account, key: hot, rents: map[int]uint64{}}, nil
}

// errForbidden says that a transaction has an instruction that is never signed. Another one could give an account away.
var errForbidden = errors.New("not a transaction that is ever signed")

// signed signs a message that moves money of an owner, after it was read again from its bytes.
func (s *Sender) signed(m message, owner key, by ...signing) (*transaction, error) {
	t, err := sign(m, by...)
	if err != nil {
		return nil, err
	}
	again, err := readTransaction(t.encode())
	if err != nil {
		return nil, err
	}
	return t, s.maySign(&again.message, owner)
}

// maySign is nil for the transactions that are signed. The hot wallet moves SOL or tokens of its own, and pays the fee. A deposit address moves
// them to the hot wallet alone.
func (s *Sender) maySign(m *message, owner key) error {
	if m.version != legacy {
		return errForbidden
	}
	for _, k := range m.keys[:m.signers] {
		if k != s.hot && k != owner {
			return errForbidden
		}
	}
	for _, i := range m.instructions() {
		if !s.mayCall(i, owner) {
			return errForbidden
		}
	}
	return nil
}

func (s *Sender) mayCall(i instruction, owner key) bool {
	keys := make([]key, len(i.accounts))
	for n, a := range i.accounts {
		keys[n] = a.key
	}
	switch i.program {
	case budgetProgram:
		return len(keys) == 0 && (len(i.data) == 5 && i.data[0] == budgetLimit || len(i.data) == 9 && i.data[0] == budgetPrice)
	case systemProgram:
		return len(keys) == 2 && keys[0] == owner && (owner == s.hot || keys[1] == s.hot) && len(i.data) == sizeOfSystemTransfer &&
			binary.LittleEndian.Uint32(i.data) == systemTransfer
	case associatedProgram:
		return len(keys) == 6 && keys[0] == s.hot && (owner == s.hot || keys[2] == s.hot) && slices.Equal(i.data, []byte{associatedIdempotent}) &&
			s.isAccount(keys[1], keys[2], keys[3], keys[5])
	case tokenProgram, token2022Program:
		return s.mayCallToken(i, keys, owner)
	default:
		return false
	}
}

func (s *Sender) mayCallToken(i instruction, keys []key, owner key) bool {
	switch {
	case len(keys) == 3 && slices.Equal(i.data, []byte{tokenCloseAccount}): // the chain closes empty ones alone
		return owner != s.hot && keys[1] == s.hot && keys[2] == owner
	case len(keys) != 4 || len(i.data) != sizeOfTransferChecked || i.data[0] != tokenTransferChecked || keys[3] != owner:
		return false
	default:
		return s.isAccount(keys[0], owner, keys[1], i.program) && (owner == s.hot || s.isAccount(keys[2], s.hot, keys[1], i.program))
	}
}

// isAccount reports whether an account is the one in which an owner holds a watched token.
func (s *Sender) isAccount(at, owner, mint, program key) bool {
	t, known := s.known.Load().byMint[mint]
	want, err := associated(owner, mint, program)
	return known && t.program != nil && *t.program == program && err == nil && at == want
}
