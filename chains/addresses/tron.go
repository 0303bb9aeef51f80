package addresses

import "github.com/ethereum/go-ethereum/crypto"

// tronVersion starts every main network account, so its text starts with T.
const tronVersion = 0x41

// readTron accepts the base58check form only: the hex form of nodes is not for customers.
func readTron(text string) (reading, error) {
	payload, err := decodeCheck(text, bitcoinAlphabet, 21)
	if err != nil {
		return reading{}, err
	}
	if payload[0] != tronVersion {
		return reading{}, malformed("another network's version")
	}
	return reading{canonical: text}, nil
}

func encodeTron(seed [32]byte) string {
	return encodeCheck(bitcoinAlphabet, []byte{tronVersion}, crypto.Keccak256(seed[:])[12:])
}

func tronFromPublic(key []byte) string {
	return encodeCheck(bitcoinAlphabet, []byte{tronVersion}, accountOf(key))
}

// TronOf writes an account of Tron as people do.
func TronOf(account [20]byte) string {
	return encodeCheck(bitcoinAlphabet, []byte{tronVersion}, account[:])
}

// TronAccount reads an address of Tron. The error is ErrFormat.
func TronAccount(address string) (account [20]byte, err error) {
	payload, err := decodeCheck(address, bitcoinAlphabet, 1+len(account))
	if err != nil {
		return account, err
	}
	if payload[0] != tronVersion {
		return account, malformed("another network's version")
	}
	return [20]byte(payload[1:]), nil
}
