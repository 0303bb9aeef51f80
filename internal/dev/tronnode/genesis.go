package tronnode

import (
	"crypto/sha256"

	"github.com/ethereum/go-ethereum/common"
)

// found makes the first block, with Rich's money and the contracts in it, and the blocks up to the first solid one.
func (c *chain) found(name string, factor, begin int64) {
	first := &block{witness: witnesses[0], parent: sha256.Sum256([]byte("the first block of the fake of Tron " + name))}
	for address, deployed := range c.contracts {
		c.setAccount(address, account{contract: true})
		if Text(address) == USDT {
			deployed.factor = factor
		}
	}
	c.setAccount(Rich.Address(), account{balance: richBalance})
	c.setAccount(common.Address{}, account{balance: 1})
	first.seal()
	c.blocks, c.changes = []*block{first}, nil
	for i := range int64(c.lag) + 1 {
		c.mine(begin + i*slotMs)
	}
}

// issue lets Rich found the tokens.
func (n *Node) issue() error {
	for _, token := range []string{USDT, Silent} {
		if _, err := n.Call(Rich, token, "found", amount(50_000_000_000*trx)); err != nil {
			return err
		}
	}
	n.Mine(n.lag + 1)
	return nil
}
