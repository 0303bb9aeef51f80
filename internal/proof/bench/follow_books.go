package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
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
	p, err := f.settle()
	if err != nil {
		return err
	}
	return f.fillFor(p)
}

// settle makes merchants without money.
func (a *arena) settle() (*people, error) {
	p := &people{}
	return p, p.settle(a.ctx, a.db, vault.New(a.secrets))
}

// fillFor makes the payins of one network.
func (f *following) fillFor(p *people) error {
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
			at := f.awaited(i)
			payin := pay.Payin{Wallet: at.address, Token: f.token, Asset: token.BalanceKey, Network: f.network, Amount: amount}
			place := pay.Address{Family: n.Family, Match: addresses.Match(f.network, at.address), Address: at.address, Memo: at.memo, Position: int64(i)}
			if at.memo != "" {
				payin.Memo, place.Position = &at.memo, 0
			}
			payins = append(payins, p.payin(p.of(many, i), f.first+int64(i), payin))
			place.PayinID = &payins[len(payins)-1].ID
			places = append(places, place)
		}
		if err := f.insert(payins, places); err != nil {
			return err
		}
	}
	if err := f.fillWallets(p); err != nil {
		return err
	}
	return f.analyse()
}

// fillWallets makes the fixed wallets.
func (f *following) fillWallets(p *people) error {
	n, _ := pay.NetworkNamed(f.network)
	for at := 0; at < f.fixed(); at += atOnce {
		var wallets []pay.Wallet
		var places []pay.Address
		for i := at; i < min(at+atOnce, f.fixed()); i++ {
			address := f.address(i)
			wallets = append(wallets, pay.Wallet{ID: uuid.Must(uuid.NewV7()), MerchantID: p.merchants[p.of(many, i)], Family: n.Family, CustomerInfo: strconv.Itoa(i), Wallet: address,
				Origin: pay.OriginAPI, Status: pay.WalletAssigned})
			places = append(places, pay.Address{Family: n.Family, Match: addresses.Match(f.network, address), Address: address, Position: int64(i + 1), WalletID: &wallets[len(wallets)-1].ID})
		}
		if _, err := f.db.NewInsert().Model(&wallets).ExcludeColumn("created_at", "updated_at").Returning("NULL").Exec(f.ctx); err != nil {
			return err
		}
		if _, err := f.db.NewInsert().Model(&places).ExcludeColumn("id").Returning("NULL").Exec(f.ctx); err != nil {
			return err
		}
	}
	return nil
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

// payee is where somebody pays us.
type payee struct{ address, memo string }

// fixed is how many fixed wallets there are.
func (f *following) fixed() int { return f.addresses * f.wallets / 100 }

// awaited is where a payin is paid: an address of its own, or a memo of the shared one.
func (f *following) awaited(i int) payee {
	if f.shared == "" {
		return payee{address: f.address(i)}
	}
	return payee{f.shared, strconv.Itoa(10_000_000 + i)}
}

// nextPayee is where the next payment goes. All of ours get their turn; the first payment of a block is to a fixed wallet, if there are any.
func (f *following) nextPayee() payee {
	at, fixed := f.paid, f.fixed()
	f.paid++
	if fixed > 0 && at%oursPerBlock == 0 {
		return payee{address: f.address(at * fixed / fewAddresses % fixed)}
	}
	return f.awaited(at * f.addresses / fewAddresses % f.addresses)
}

// address is one of ours. Nobody has its key: nothing is spent.
func (f *following) address(i int) string {
	if len(f.ours) > 0 {
		return f.ours[i]
	}
	seed := [32]byte{'o', 'u', 'r', 's'}
	binary.BigEndian.PutUint64(seed[8:], uint64(i)) //nolint:gosec // a few
	copy(seed[16:], f.network)                      // networks of a family may stand beside each other
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
