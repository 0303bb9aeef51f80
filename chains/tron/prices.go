package tron

import (
	"context"
	"sync"
	"time"

	"causeway/chains/tron/client"
)

// pricesFor is how long the parameters of the chain are believed. They change by votes, at most every six hours.
const pricesFor = time.Minute

// parameters are the prices of the chain, in sun.
type parameters struct {
	energy   int64 // of one unit
	byteFee  int64 // of one byte
	activate int64 // of a first payment to an account, altogether
	feeLimit int64 // the highest one
}

// prices remembers the parameters.
type prices struct {
	sync.Mutex
	last parameters
	at   time.Time
}

// parameters asks for the prices.
func (v view) parameters(ctx context.Context) (parameters, error) {
	v.prices.Lock()
	defer v.prices.Unlock()
	if !v.prices.at.IsZero() && time.Since(v.prices.at) < pricesFor {
		return v.prices.last, nil
	}
	var told client.Parameters
	if err := v.ask(ctx, &told, "wallet/getchainparameters", struct{}{}); err != nil {
		return parameters{}, err
	}
	values := map[string]int64{}
	for _, p := range told.List {
		values[p.Key] = p.Value
	}
	out := parameters{energy: values["getEnergyFee"], byteFee: values["getTransactionFee"], feeLimit: values["getMaxFeeLimit"],
		activate: values["getCreateAccountFee"] + values["getCreateNewAccountFeeInSystemContract"]}
	for _, v := range []int64{out.energy, out.byteFee, out.activate, out.feeLimit} {
		if v <= 0 || v > maxFee*1_000_000 {
			return parameters{}, odd("the chain's parameters lack a price")
		}
	}
	v.prices.last, v.prices.at = out, time.Now()
	return out, nil
}
