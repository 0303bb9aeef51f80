package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// judgeOrders compares the clients' answers with the rows: no payout answered as created may be missing, nothing else
// may be there, and every payout must have come to its end with the amounts of addendum §6.
func (e *evidence) judgeOrders() {
	rows := map[string]*payoutRow{} // by merchant and reference
	for i := range e.payouts {
		p := &e.payouts[i]
		rows[p.MerchantID.String()+p.ReferenceID] = p
		e.report.count("payouts "+p.Status, 1)
		if p.Status != "completed" && p.Status != "refunded" {
			e.wrong(checkEnd, fmt.Sprintf("%s is %s", p.ID, p.Status))
		}
	}
	for _, o := range e.t.book.orders {
		p := rows[o.shop.id.String()+o.reference]
		delete(rows, o.shop.id.String()+o.reference)
		switch {
		case o.id == "" && o.outcome == "":
			e.wrong(checkAnswered, o.reference)
		case o.id == "" && p != nil:
			e.wrong("what was refused is not there", o.reference+" "+o.outcome)
		case o.id != "" && (p == nil || p.ID.String() != o.id):
			e.wrong(checkThere, o.reference+" "+o.id)
		case o.id == "":
			e.report.count("payouts refused: "+o.outcome, 1)
		default:
			e.judgeAmounts(o, p)
		}
	}
	for _, p := range rows {
		if !e.byRefund[p.ID] {
			e.wrong("every payout was asked for", p.ReferenceID)
		}
	}
}

func (e *evidence) judgeAmounts(o *order, p *payoutRow) {
	recipient, debit := o.expected()
	if !recipient.Equal(p.Amount) || !debit.Equal(p.Debit) {
		e.wrong("amounts are those of the contract", fmt.Sprintf("%s: %s for %s, not %s for %s", p.ID, p.Amount, p.Debit, recipient, debit))
	}
}

// judgeFailures looks for requests answered with 5xx that still left rows. It judges only rows with a certain request:
// there was one client, and every earlier try was answered.
func (e *evidence) judgeFailures() {
	created := map[string]*payoutRow{}
	for i := range e.payouts {
		created[e.payouts[i].ID.String()] = &e.payouts[i]
	}
	for _, o := range e.t.book.orders {
		if p := created[o.id]; p != nil && !o.crowd {
			e.judgeTries(o.reference, o.tries, func(a answer) bool {
				return !p.CreatedAt.Before(a.asked) && p.CreatedAt.Before(a.ended) && a.text("results") == ""
			})
		}
	}
	bills := map[string]*payinRow{}
	for i := range e.payins {
		bills[e.payins[i].ID.String()] = &e.payins[i]
	}
	for _, b := range e.t.book.bills {
		if p := bills[b.id]; p != nil {
			e.judgeTries(b.reference, b.tries, func(a answer) bool { return !p.CreatedAt.Before(a.asked) && p.CreatedAt.Before(a.ended) })
		}
	}
}

// unknownAfter is how long the API tries to find out what became of a request (api/recorder_write.go). A primary may be away for longer:
// then the outcome is unknown, and the client sends again.
const unknownAfter = 10 * time.Second

func (e *evidence) judgeTries(reference string, tries []answer, within func(answer) bool) {
	for _, a := range tries {
		if a.status == 0 {
			return
		}
		if a.status < http.StatusInternalServerError || !within(a) {
			continue
		}
		if e.t.cluster != nil && a.ended.Sub(a.asked) >= unknownAfter {
			e.report.count("5xx after ten seconds without the database that left rows", 1)
		} else {
			e.wrong("a 5xx leaves no rows", fmt.Sprintf("%s: %d %s", reference, a.status, a.body))
		}
	}
}

// judgeSent looks at the chains themselves: a completed payout was sent exactly once, a refunded one never, and nothing
// else left a hot wallet.
func (e *evidence) judgeSent() {
	to := map[string][]chainRow{}
	for _, tx := range e.sent {
		if tx.State == "mined" || tx.State == "pending" {
			to[tx.Network+" "+tx.RecipientMatch] = append(to[tx.Network+" "+tx.RecipientMatch], tx)
		}
	}
	for i := range e.payouts {
		p := &e.payouts[i]
		found := to[place(p.Network, p.Wallet)]
		delete(to, place(p.Network, p.Wallet))
		switch {
		case len(found) > 1:
			e.wrong(checkTwice, fmt.Sprintf("%s: %d transactions", p.ID, len(found)))
		case p.Status == "refunded" && len(found) > 0:
			e.wrong(checkRefunded, p.ID.String()+" "+found[0].Txid)
		case p.Status == "completed" && (len(found) == 0 || found[0].State != "mined"):
			e.wrong(checkCompleted, p.ID.String())
		case p.Status == "completed" && (!found[0].Amount.Equal(p.Amount) || found[0].Token != p.Token):
			e.wrong("the amount sent is that of the payout", p.ID.String())
		}
	}
	for where, rest := range to {
		for _, tx := range rest {
			if tx.Amount.IsPositive() {
				e.wrong(checkElse, where+" "+tx.Txid)
			}
		}
	}
}

// judgeNonces checks every nonce handed out: it is spent on its chain by one transaction of ours. If the network has
// rejected its transactions for good, it is spent by nothing and blocks nothing there.
func (e *evidence) judgeNonces(ctx context.Context) {
	var rows []struct {
		Network, Address string
		Nonce            int64
		Mined, Rejected  int
		Dead, Stranded   int
	}
	const query = `select n.network, n.address, g.nonce,
			count(distinct c.txid) filter (where c.state = 'mined') as mined, count(*) filter (where c.state = 'rejected') as rejected,
			count(*) filter (where s.state = 'expired') as dead, count(*) filter (where s.payout_id in (` + stranded + `)) as stranded
		from signing_nonces n cross join lateral generate_series(0, n.next - 1) as g(nonce)
		left join signed_transactions s on s.network = n.network and s.address = n.address and s.nonce = g.nonce
		left join sandbox_transactions c on c.network = s.network and c.txid = s.txid
		group by 1, 2, 3`
	if err := e.t.db.NewRaw(query).Scan(ctx, &rows); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	for _, r := range rows {
		switch {
		case r.Mined == 1:
		case r.Mined == 0 && r.Rejected > 0:
			e.report.count("nonces of rejected transactions", 1)
		case r.Mined == 0 && r.Dead > 0: // stopped by an operator; a completed payout is looked for on its chain
			e.report.count("nonces of dead transactions", 1)
		case r.Mined == 0 && r.Stranded > 0:
			e.report.count("nonces of moves whose money a reorganisation took", 1)
		default:
			e.wrong(checkNonce, fmt.Sprintf("%s %d: %d in blocks", r.Network, r.Nonce, r.Mined))
		}
	}
	e.report.count("nonces", len(rows))
	saved := map[string]bool{}
	var txids []string
	if err := e.t.db.NewRaw("select network || ' ' || txid from signed_transactions").Scan(ctx, &txids); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	for _, txid := range txids {
		saved[txid] = true
	}
	for _, tx := range e.sent {
		if !saved[tx.Network+" "+tx.Txid] {
			e.wrong(checkUnsaved, tx.Txid)
		}
	}
}
