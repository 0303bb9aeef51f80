package upkeep

import (
	"context"
	"time"

	"github.com/google/uuid"

	"causeway/internal/message"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// When people are told of a condition.
const (
	conditionLasts = time.Minute      // before it is told of: what passes by itself is nobody's work
	conditionGone  = 5 * time.Minute  // without it before it is over: what comes and goes is one condition
	receiverIdle   = 30 * time.Minute // how old a webhook is that was tried in vain
	mostReceivers  = 20               // that are told of
)

// watchConditions tells people of what is amiss: once when it begins, and once when it is over. Marks and messages are one transaction.
func (w *Worker) watchConditions(ctx context.Context) error {
	h, err := (&admin.Admin{Store: w.Store}).Health(ctx, w.Networks.Live()...)
	if err != nil {
		return err
	}
	idle, err := w.Store.IdleReceivers(ctx, receiverIdle, mostReceivers)
	if err != nil {
		return err
	}
	now := h.Conditions()
	for _, r := range idle {
		now = append(now, store.Condition{Topic: string(message.ReceiverFailing), Merchant: r.MerchantID,
			Told: r.Host + " has taken no webhooks of " + r.Merchant + " for half an hour."})
	}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := tx.SeeConditions(ctx, now); err != nil {
			return err
		}
		ended, err := tx.EndedConditions(ctx, conditionGone)
		if err == nil {
			err = tellAll(ctx, tx, "Over: ", ended)
		}
		if err != nil {
			return err
		}
		begun, err := tx.BegunConditions(ctx, conditionLasts)
		if err != nil {
			return err
		}
		return tellAll(ctx, tx, "", begun)
	})
}

// tellAll tells operators of conditions, and the people of the merchants that they are about.
func tellAll(ctx context.Context, tx *store.Store, before string, all []store.Condition) error {
	for _, c := range all {
		title := before + message.TitleOf(message.Topic(c.Topic))
		if err := tx.TellOperators(ctx, c.Topic, title, c.Told); err != nil {
			return err
		}
		if c.Merchant == uuid.Nil {
			continue
		}
		told := message.Of(message.Topic(c.Topic))
		if err := tx.TellPeople(ctx, c.Topic, told.Roles, title, store.MessageFact{Merchant: c.Merchant, Line: c.Told,
			Page: admin.PanelPath + "webhooks"}); err != nil {
			return err
		}
	}
	return nil
}
