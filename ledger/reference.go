package ledger

import (
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// Reference identifies an entry: its subject, the kind of event, and how often the subject was credited before,
// since a reorganisation may undo a credit and repeat it. Kind is one of the database's entry_kind.
type Reference struct {
	Kind    string
	Subject uuid.UUID // a payout, a transfer, or Named of another thing's name
	Turn    int
}

func (r Reference) String() string { return fmt.Sprintf("%s %s %d", r.Kind, r.Subject, r.Turn) }

// Named is the subject of an entry about something with a name and no id: zero, and the first 15 bytes of the name's
// SHA-256. Names have no order; the zero keeps them below all ids, and these rise with time. So the index of references
// has each kind of subject on pages of its own.
func Named(name string) uuid.UUID {
	sum := sha256.Sum256([]byte(name))
	return uuid.UUID(append([]byte{0}, sum[:15]...))
}

// Gas is the subject of the entries of GasSpent for a transaction of ours.
func Gas(network, txid string) uuid.UUID { return Named("gas:" + network + ":" + txid) }

// Cold is the subject of the entries of ColdOpened for a cold address and an asset.
func Cold(network, address, asset string) uuid.UUID {
	return Named("cold-opened:" + network + ":" + address + ":" + asset)
}

func ofTransfer(kind string, t *pay.Transfer) Reference { return Reference{kind, t.ID, t.Credits} }

func ofPayout(kind string, p *pay.Payout) Reference { return Reference{Kind: kind, Subject: p.ID} }

func ofName(kind, name string) Reference { return Reference{Kind: kind, Subject: Named(name)} }
