package monero

import (
	"context"
	"fmt"
	"sync"
	"time"

	"causeway/chains"
)

// Sender has the signer's wallet server make transactions, and sends them. It alone holds the spend key.
type Sender struct {
	*Connector
	spender *wallet
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the spend key. The seed is not kept. If the address is not that of the seed, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	if c.cfg.Spender == "" {
		return nil, fmt.Errorf("network %s: spender: the URL of the signer's wallet server is missing", Network)
	}
	spend, seen, err := keysOf(seed)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", Network, err)
	}
	if seen.main != c.view.main {
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	return &Sender{Connector: c, spender: c.newWallet(c.cfg.Spender, spend)}, nil
}

// snapshot returns the coins that the signer's wallet has, by their ids, after the wallet that cannot spend was shown their key images. So
// no coin is spent before all followers can tell.
func (s *Sender) snapshot(ctx context.Context) (map[string]held, error) {
	give, err := s.spender.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	height, err := s.spender.ready(ctx)
	if err != nil {
		return nil, fmt.Errorf("the signer's wallet: %w", err)
	}
	if err := s.show(ctx, height); err != nil {
		return nil, fmt.Errorf("show key images: %w", err)
	}
	return s.coins(ctx)
}

// Show shows the key images of all coins to the wallet that cannot spend. Without them no follower can tell whether a stranger's transaction
// spends one of ours: it may only have it among those that it hides behind.
func (s *Sender) Show(ctx context.Context) error {
	_, err := s.snapshot(ctx)
	return err
}

// showEvery is how often key images are shown while nothing is paid.
const showEvery = time.Minute

// showing is Reach, and has key images shown from then on. A wallet that is made before reads past all but the first addresses.
func (s *Sender) showing(ctx context.Context) func(newest func(ctx context.Context) ([]string, error)) {
	var once sync.Once
	return func(newest func(ctx context.Context) ([]string, error)) {
		s.Reach(newest)
		once.Do(func() { go s.keepShowing(ctx) })
	}
}

// keepShowing shows key images until the connector is closed.
func (s *Sender) keepShowing(ctx context.Context) {
	for {
		turn, cancel := context.WithTimeout(ctx, s.cfg.WalletTimeout)
		if err := s.Show(turn); err != nil && s.open.Err() == nil {
			s.log.WithError(err).Warn("the wallet that cannot spend is not shown the key images: followers may have to wait")
		}
		cancel()
		select {
		case <-s.open.Done():
			return
		case <-time.After(showEvery):
		}
	}
}

// coins returns the coins of the signer's wallet by their ids. The caller has its turn.
func (s *Sender) coins(ctx context.Context) (map[string]held, error) {
	all, err := s.spender.list(ctx)
	if err != nil {
		return nil, err
	}
	coins, err := s.coinsOf(ctx, all)
	if err != nil {
		return nil, err
	}
	out := make(map[string]held, len(coins))
	for _, h := range coins {
		out[h.id] = h
	}
	return out, nil
}
