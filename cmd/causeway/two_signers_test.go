package main

import (
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/dev/testkit"
	"causeway/tasks"
)

var signerDies = flag.Bool("signer-dies-busy", false, "let the first signer of TestASecondSignerGoesOn die with 200 payouts under way, and measure how long until the second has paid them")

// Of two signers one is killed. The other one goes on, and pays what the killed one had in its hands once the visibility of a job is over.
func TestASecondSignerGoesOn(t *testing.T) {
	t.Parallel()
	signer := []string{"worker", "--queues", "signing"}
	e := newDeploymentOf(t, testkit.PrivateRedis(t).URL, [][]string{signer, signer, {"scheduler"}, {"worker", "--queues", "chain,webhooks,upkeep"}, {"api"}})
	e.funded("Tron", "USDT", "2000")
	paid := 1
	if *signerDies {
		paid += 200
		must(t, e.begun[1].Process.Signal(syscall.SIGSTOP)) // so the first one has them all
		e.payoutsOf("busy-", 200)
		e.eventually("payouts are being signed", "select exists (select from payouts where status <> 'queued')")
	}
	began := time.Now()
	must(t, e.begun[0].Process.Kill())
	must(t, e.begun[1].Process.Signal(syscall.SIGCONT))
	e.paidOut(e.payout("Tron", "USDT", "5", addresses.Encode("Tron", [32]byte{1})))
	t.Logf("the next payout was completed and told %v after one of two signers was killed", time.Since(began).Round(100*time.Millisecond))
	e.eventually("every payout is completed", "select count(*) = ? from payouts where status = 'completed'", paid)
	took := time.Since(began).Round(100 * time.Millisecond)
	if *signerDies {
		t.Logf("all %d were completed after %v", paid, took)
		require.Less(t, took, tasks.Visibility+15*time.Second)
	}
	e.addsUpTo("USDT", fmt.Sprint(2000-paid*6)) // each payout costs a network fee of 1
}
