// Package remotesigner asks a program or a server of the operator for signatures, so private keys can be in an HSM, or on another
// machine. No answer is believed: each is checked against the public key (docs/decisions/0038-keys-elsewhere.md).
package remotesigner

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
)

// patience is how long a signature may take.
const patience = 10 * time.Second

// atOnce is the most questions under way to one signer. Others wait for their turn.
const atOnce = 16

// Error says that a signer has given no valid signature. It wraps chains.ErrDown: nothing is signed, and the signer is asked later.
type Error struct{ Why string }

func (e *Error) Error() string { return "the signer gives no signature: " + e.Why }

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// question is asked as one line of JSON.
type question struct {
	Path   string        `json:"path"`   // of the key, as in m/44'/60'/0'/1/0
	Digest hexutil.Bytes `json:"digest"` // 32 bytes
	Curve  string        `json:"curve"`
}

// answer is the JSON of a signer's answer.
type answer struct {
	Signature string `json:"signature"` // see candidates
	Error     string `json:"error"`     // in place of a signature
}

// asker brings a question to a signer. Its error says why there is no answer, without secrets.
type asker interface {
	ask(ctx context.Context, question []byte) (answer []byte, err error)
}

// Signer asks for signatures.
type Signer struct {
	asker    asker
	patience time.Duration
	turns    chan struct{}
}

// New returns the signer of checked settings. Relative paths are from a directory.
func New(c Config, dir string) *Signer {
	if absolute, err := filepath.Abs(dir); err == nil { // a program's path is not looked for from its own directory again
		dir = absolute
	}
	s := &Signer{asker: newServer(c, dir), patience: patience, turns: make(chan struct{}, atOnce)}
	if len(c.Command) > 0 {
		s.asker = newProgram(c, dir)
	}
	return s
}

// Secp256k1 returns the signature of a digest by the key of a path: r, s and the recovery id, 65 bytes. It is by the public key, and
// its s is the low one. Every other answer is an Error, and so is none within ten seconds.
func (s *Signer) Secp256k1(path string, digest [32]byte, public *ecdsa.PublicKey) ([]byte, error) {
	said, err := s.question(question{Path: path, Digest: digest[:], Curve: "secp256k1"})
	if err != nil {
		return nil, err
	}
	signature, err := checked(said, digest, public)
	if err != nil {
		return nil, &Error{fmt.Sprintf("for %s: %v", path, err)}
	}
	return signature, nil
}

// Ed25519 returns the signature of a digest, as the message of Ed25519 (RFC 8032), by the key of a path: 64 bytes. It is by the public key.
// Every other answer is an Error, and so is none within ten seconds.
func (s *Signer) Ed25519(path string, digest [32]byte, public ed25519.PublicKey) ([]byte, error) {
	said, err := s.question(question{Path: path, Digest: digest[:], Curve: "ed25519"})
	if err != nil {
		return nil, err
	}
	signature, err := hexutil.Decode(said)
	switch {
	case err != nil:
		return nil, &Error{fmt.Sprintf("for %s: %v", path, errHex)}
	case len(signature) != ed25519.SignatureSize:
		return nil, &Error{fmt.Sprintf("for %s: a signature of Ed25519 has %d bytes, not %d", path, ed25519.SignatureSize, len(signature))}
	case !ed25519.Verify(public, digest[:], signature):
		return nil, &Error{fmt.Sprintf("for %s: %v", path, errOther)}
	}
	return signature, nil
}

// question returns the signature in the answer to a question, as it is written there.
func (s *Signer) question(q question) (string, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return "", fmt.Errorf("write the question for a signature: %w", err)
	}
	said, err := s.ask(append(line, '\n'))
	if err != nil {
		return "", &Error{err.Error()}
	}
	var a answer
	if err := json.Unmarshal(said, &a); err != nil {
		return "", &Error{`the answer is not {"signature": "0x…"}`}
	}
	if a.Error != "" {
		return "", &Error{clean(a.Error)}
	}
	return a.Signature, nil
}

// ask waits for a turn, and then for the answer.
func (s *Signer) ask(line []byte) ([]byte, error) {
	s.turns <- struct{}{}
	defer func() { <-s.turns }()
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	said, err := s.asker.ask(ctx, line)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("there was no answer within %s", s.patience)
	}
	return said, err
}
