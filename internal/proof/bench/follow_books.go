package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains/addresses"
	"causeway/internal/pay"
	"causeway/internal/vault"
)

// atOnce is how many payins are written in one statement.
const atOnce = 2000

// fill makes merchants and their payins, each with an address of its own. Books become live ones before a merchant is there.
func (f *following) fill() error {
	p := &people{}
	if err := p.settle(f.ctx, f.db, vault.New(f.secrets)); err != nil {
		return err
	}
	n, _ := pay.NetworkNamed(f.network)
	token := f.tokenOf(f.token)
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return err
	}
	for at := 0; at < f.addresses; at += atOnce {
		var payins []pay.Payin
		var places []pay.Address
		for i := at; i < min(at+atOnce, f.addresses); i++ {
			address := f.address(i)
			payins = append(payins, p.payin(p.of(many, i), int64(i), pay.Payin{Wallet: address, Token: f.token, Asset: token.BalanceKey, Network: f.network, Amount: amount}))
			places = append(places, pay.Address{Family: n.Family, Match: addresses.Match(f.network, address), Address: address, Position: int64(i), PayinID: &payins[len(payins)-1].ID})
		}
		if err := f.insert(payins, places); err != nil {
			return err
		}
	}
	return f.analyse()
}

func (a *arena) insert(payins []pay.Payin, places []pay.Address) error {
	return a.db.RunInTx(a.ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&payins).ExcludeColumn("received", "reversed_at", "reversal", "created_at", "updated_at").Returning("NULL").Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&places).ExcludeColumn("id").Returning("NULL").Exec(ctx)
		return err
	})
}

// address is one of ours. Nobody has its key: nothing is spent.
func (f *following) address(i int) string {
	seed := [32]byte{'o', 'u', 'r', 's'}
	binary.BigEndian.PutUint64(seed[8:], uint64(i)) //nolint:gosec // a few
	return addresses.Encode(f.network, seed)
}

// tokenOf is a token of the catalogue.
func (f *following) tokenOf(symbol string) pay.Token {
	for _, t := range f.catalogue {
		if t.Network == f.network && t.Symbol == symbol {
			return t
		}
	}
	panic(fmt.Sprintf("the catalogue has no %s on %s", symbol, f.network))
}

// allocated is how many bytes the worker has allocated since its start.
func (f *following) allocated() (float64, error) {
	const name = "go_memstats_alloc_bytes_total "
	response, err := http.Get("http://" + f.worker.operator + "/metrics")
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("/metrics has no %s", name)
}
