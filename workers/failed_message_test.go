package workers_test

import (
	"net/mail"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/mailserver"
	"causeway/internal/message"
	"causeway/internal/pay"
)

// The people of a merchant are told that a payout failed, without its amount and its recipient, and not of one that is paid.
func TestPeopleAreToldOfAFailedPayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	s := mailserver.Start(t, nil)
	w.workers.Tell.Base = "https://pay.example.com"
	w.workers.Tell.Mail = message.NewMailer(&message.Server{Host: s.Host(), Port: s.Port(), Loopback: true}, &mail.Address{Address: "pay@example.com"})
	ann := uuid.New()
	w.exec("insert into people (id, email, name, password) values (?, 'ann@example.com', 'Ann', '')", ann)
	w.exec("insert into members (merchant_id, person_id, role) values (?, ?, 'finance')", w.merchant, ann)
	w.fund("Ethereum", "USDT", "200")
	paid := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(paid.ID).Status)
	require.Empty(t, s.Mails())
	w.faults("Ethereum", "broadcast", "reject")
	p := w.payout("Ethereum", "USDT", "61.75", destination)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.faults("Ethereum", "broadcast", "")
	require.Len(t, s.Mails(), 1)
	told := s.Mails()[0]
	require.Equal(t, "ann@example.com", told.To)
	require.Contains(t, told.Raw, "https://pay.example.com/panel/payouts/"+p.ID.String())
	require.NotContains(t, told.Raw, "61.75")
	require.NotContains(t, told.Raw, destination)
}
