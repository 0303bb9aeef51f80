package tronnode

// transferAsset is the kind of transfers of TRC-10. They are refused by broadcasts: only ShowAsset has any.
const transferAsset kind = 2

// assetName is the only TRC-10 of the fake, by its number.
const assetName = "1000001"

// ShowAsset puts a transfer of TRC-10 into the next block. It is only shown: nobody holds such tokens on the fake. Two keys sign it,
// by a permission, as in many blocks of Tron. After a fork it is gone.
func (n *Node) ShowAsset(to string, units int64) (txid string, err error) {
	receiver, err := Address(to)
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	what := &contract{kind: transferAsset, url: "type.googleapis.com/protocol.TransferAssetContract", permission: 2,
		order: order{owner: Rich.Address(), to: receiver, amount: units}}
	what.value = message(nil).bytes(1, []byte(assetName)).bytes(2, bytesOf(what.owner)).bytes(3, bytesOf(receiver)).number(4, units)
	n.orders++
	tx, err := readTransaction(message(nil).always(1, n.foreignRaw(what)))
	if err != nil {
		return "", err
	}
	tx.signatures = [][]byte{Rich.sign(tx.id), witnesses[0].sign(tx.id)}
	n.foreign = append(n.foreign, mined{tx, what, receipt{result: resultSuccess, netUsage: int64(tx.size)}})
	return hex32(tx.id), nil
}

func (n *Node) foreignRaw(what *contract) message {
	parameter := message(nil).bytes(1, []byte(what.url)).bytes(2, what.value)
	one := message(nil).number(1, int64(what.kind)).bytes(2, parameter).number(5, what.permission)
	ref := n.head()
	m := message(nil).bytes(1, []byte{byte(ref.number >> 8), byte(ref.number)}).bytes(4, ref.id[8:16])
	return m.number(8, ref.time+60_000+int64(n.orders)).bytes(11, one).number(14, ref.time)
}

// addForeign puts what is only shown into a block.
func (c *chain) addForeign(b *block) {
	for _, tx := range c.foreign {
		put(&c.state, c.places, tx.id, place{b, len(b.txs)})
		b.txs = append(b.txs, tx)
	}
	c.foreign = nil
}
