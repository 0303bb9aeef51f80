package addresses

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg/v2"

	"causeway/internal/pay"
)

// Errors of a derivation. None repeats key material.
var (
	// ErrNoXPub: addresses of this network cannot be derived from an extended public key.
	ErrNoXPub = errors.New("network derives no addresses from an xpub")
	// ErrXPub: not an extended public key of an account (depth 3). An extended private key is refused
	// too: it does not belong where addresses are made.
	ErrXPub = errors.New("not an account's extended public key")
	// ErrPath: not a BIP32 path such as m/44'/60'/0'/0/0, or an index out of range.
	ErrPath = errors.New("not a derivation path")
	// ErrSeed: not 16 to 64 bytes, or a seed unusable for BIP32.
	ErrSeed = errors.New("unusable seed")
)

// accountDepth is the depth of m/44'/coin'/account'.
const accountDepth = 3

// xpubLength is the length of every serialised extended key, in base58.
const xpubLength = 111

// FromXPub derives the deposit address 0/index under an account's extended public key
// (m/44'/coin'/0'), whatever version prefix (xpub, zpub, Ltub, dgub …) the wallet wrote. Indexes
// end below 2^31. Errors are ErrNetwork, ErrNoXPub, ErrXPub or ErrPath; about one index in 2^127 has
// no key and fails as ErrPath: the next one is used.
func FromXPub(network, xpub string, index uint32) (string, error) {
	n, ok := pay.NetworkNamed(network)
	if !ok {
		return "", ErrNetwork
	}
	c := codecs[n.Family]
	if c.fromPublic == nil {
		return "", ErrNoXPub
	}
	if index >= hdkeychain.HardenedKeyStart {
		return "", ErrPath
	}
	account, err := parseAccount(xpub)
	if err != nil {
		return "", err
	}
	child, err := descend(account, []uint32{0, index})
	if err != nil {
		return "", err
	}
	key, err := child.ECPubKey()
	if err != nil {
		return "", ErrXPub
	}
	return c.fromPublic(key.SerializeCompressed()), nil
}

func parseAccount(xpub string) (*hdkeychain.ExtendedKey, error) {
	if len(xpub) > xpubLength+1 {
		return nil, ErrXPub
	}
	key, err := hdkeychain.NewKeyFromString(xpub)
	if err != nil || key.IsPrivate() || key.Depth() != accountDepth {
		return nil, ErrXPub
	}
	return key, nil
}

// PrivateFromSeed derives the 32-byte secp256k1 private key at a path such as m/44'/60'/0'/0/7.
// For the signer only. Errors are ErrSeed and ErrPath.
func PrivateFromSeed(seed []byte, path string) ([]byte, error) {
	node, err := nodeAt(seed, path)
	if err != nil {
		return nil, err
	}
	defer node.Zero()
	key, err := node.ECPrivKey()
	if err != nil {
		return nil, ErrPath
	}
	defer key.Zero()
	return key.Serialize(), nil
}

// AccountXPub returns the extended public key at a path such as m/44'/60'/0', for processes without
// secrets that make addresses. Errors are ErrSeed and ErrPath.
func AccountXPub(seed []byte, path string) (string, error) {
	node, err := nodeAt(seed, path)
	if err != nil {
		return "", err
	}
	defer node.Zero()
	public, err := node.Neuter()
	if err != nil {
		return "", fmt.Errorf("account key: %w", err)
	}
	return public.String(), nil
}

// nodeAt walks from the seed to a path and wipes the private nodes on the way.
func nodeAt(seed []byte, path string) (*hdkeychain.ExtendedKey, error) {
	steps, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	master, err := hdkeychain.NewMaster(seed, &chaincfg.MainNetParams)
	if err != nil {
		return nil, ErrSeed
	}
	return descend(master, steps)
}

// descend derives step by step and wipes every node but the last.
func descend(node *hdkeychain.ExtendedKey, steps []uint32) (*hdkeychain.ExtendedKey, error) {
	for _, step := range steps {
		child, err := node.Derive(step)
		node.Zero()
		if err != nil {
			return nil, ErrPath
		}
		node = child
	}
	return node, nil
}

// parsePath reads m/44'/60'/0'/0/0; a hardened step ends in ' or h.
func parsePath(path string) ([]uint32, error) {
	root, rest, _ := strings.Cut(path, "/")
	if root != "m" || len(path) > longest {
		return nil, ErrPath
	}
	if path == "m" {
		return nil, nil
	}
	var steps []uint32
	for word := range strings.SplitSeq(rest, "/") {
		digits := strings.TrimRight(word, "'h")
		step, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || len(word)-len(digits) > 1 || digits != strconv.FormatUint(step, 10) {
			return nil, ErrPath
		}
		if word != digits {
			step += hdkeychain.HardenedKeyStart
		}
		steps = append(steps, uint32(step))
	}
	return steps, nil
}
