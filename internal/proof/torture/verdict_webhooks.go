package main

import (
	"fmt"

	"github.com/google/uuid"
)

// judgeDeliveries checks two things: every change was told, once, in order, and every delivery recorded as delivered
// was taken.
func (e *evidence) judgeDeliveries() {
	e.t.receiver.mu.Lock()
	defer e.t.receiver.mu.Unlock()
	e.report.count("webhooks", len(e.deliveries))
	e.report.count("tries of webhooks", e.t.receiver.tries)
	for range e.t.receiver.forged {
		e.wrong("every webhook is signed", "a forged one")
	}
	told := map[uuid.UUID]map[string]int{} // subject -> event -> deliveries
	before := map[uuid.UUID]*hearing{}
	for _, d := range e.deliveries {
		if told[d.Subject] == nil {
			told[d.Subject] = map[string]int{}
		}
		told[d.Subject][d.Event]++
		heard := e.t.receiver.heard[d.ID.String()]
		switch {
		case d.Status != "delivered":
			e.wrong(checkDelivered, fmt.Sprintf("%s %s is %s", d.Event, d.ID, d.Status))
		case heard == nil || heard.taken == 0:
			e.wrong(checkTaken, d.ID.String())
		case heard.event != d.Event || heard.subject != d.Subject.String():
			e.wrong("a webhook says what it is of", d.ID.String())
		default:
			if last := before[d.Subject]; last != nil && heard.first < last.taken {
				e.wrong("webhooks of one subject go out in order", fmt.Sprintf("%s %s before %s", d.Subject, d.Event, last.event))
			}
			before[d.Subject] = heard
		}
	}
	e.judgeTold(told)
}

// judgeTold compares the events with the payouts and payins.
func (e *evidence) judgeTold(told map[uuid.UUID]map[string]int) {
	expect := func(subject uuid.UUID, event string, least, most int) {
		if n := told[subject][event]; n < least || n > most {
			e.wrong(checkTold, fmt.Sprintf("%s %s: %d times", subject, event, n))
		}
	}
	for i := range e.payouts {
		p := &e.payouts[i]
		done := p.Status == "completed"
		expect(p.ID, "payment_processed", one(done), one(done))
		expect(p.ID, "payment_failed", one(!done), one(!done))
	}
	const any = 1 << 30
	arrived, reversed := map[uuid.UUID]bool{}, map[uuid.UUID]bool{} // reversed also when everything was credited again
	for _, t := range e.transfers {
		if t.PayinID != nil {
			arrived[*t.PayinID] = true
			stands := t.Status == "credited" || t.Status == "final"
			reversed[*t.PayinID] = reversed[*t.PayinID] || t.Credits > one(stands)
		}
	}
	for i := range e.payins {
		p := &e.payins[i]
		expect(p.ID, "payment_detected", one(arrived[p.ID]), one(arrived[p.ID]))
		expect(p.ID, "payment_reversed", one(reversed[p.ID]), any*one(reversed[p.ID]))
		expect(p.ID, "payment_confirmed", one(p.Status == "completed"), told[p.ID]["payment_reversed"]+1)
		expect(p.ID, "payment_failed", one(p.Status == "failed"), 1+told[p.ID]["payment_reversed"])
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
