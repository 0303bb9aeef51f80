package main

import (
	"errors"
	"fmt"
	"time"

	"causeway/internal/pay"
)

// behindBlocks is how far the follower is behind, in blocks of blockSize.
const behindBlocks = 40

// measureBehind is payins paid while nobody followed their network: each is seen, credited and final in one step.
func (b *bench) measureBehind() error {
	return b.measureFollower(payinNetworks[:1], oneStep, (*follower).catchUp)
}

// catchUp has payins paid in many blocks, and then follows all of these.
func (f *follower) catchUp() (row, error) {
	n := f.networks[0]
	for range behindBlocks {
		if err := f.pay(n); err != nil {
			return row{}, err
		}
		if _, err := f.chain.Mine(f.ctx, n.Name, 1); err != nil {
			return row{}, err
		}
	}
	m := f.meter()
	start := time.Now()
	for behind := true; behind; {
		err := f.look()
		if err == nil {
			err = f.db.NewRaw(`select f.final < n.height from followers f join sandbox_networks n using (network)
				where f.network = ?`, n.Name).Scan(f.ctx, &behind)
		}
		if err != nil {
			return row{}, err
		}
	}
	took := time.Since(start)
	m.stop()
	var open int
	err := f.db.NewRaw("select count(*) from payins where status = ?", pay.PayinPending).Scan(f.ctx, &open)
	if err != nil || open > 0 {
		return row{}, errors.Join(err, fmt.Errorf("%d payins are not credited", open))
	}
	return row{what: fmt.Sprintf("payins credited, %d blocks of %d behind", behindBlocks, blockSize),
		measured: behindBlocks * blockSize / took.Seconds(), unit: "payins/s", bar: 0.6, cpu: m.each(behindBlocks * blockSize)}, nil
}
