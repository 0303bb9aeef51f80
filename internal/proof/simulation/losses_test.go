package simulation

import (
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/stdlib"
)

// errCut is the error of a process whose connection to the database is lost under it, while it lives on.
var errCut = errors.New("the connection to the database is lost")

// loss is the part taken by a lost connection.
type loss int

const (
	nothingLost   loss = iota
	statementLost      // it never ran
	answerLost         // it ran, and nobody is told
	rowsLost           // of its answer, the first row came
	rowHalf            // of its answer, a part of the first row came
	losses
)

// String implements fmt.Stringer.
func (l loss) String() string {
	return [...]string{"nothing", "the statement", "the answer", "all rows but the first", "half of the first row"}[l]
}

// misfortune draws how many statements go well before a connection is lost; below zero: all.
func (w *world) misfortune() int {
	if !w.cuts || w.ill.IntN(100) >= 30 {
		return -2
	}
	return w.ill.IntN(12)
}

// loses returns the loss of a statement or a commit of a fiber, in a transaction or not.
func (f *fiber) loses(side string) (loss, string) {
	if f == nil || f.whole {
		return nothingLost, ""
	}
	w, name := f.world, pointName(side)
	w.points.Lock()
	defer w.points.Unlock()
	if f.dead {
		return nothingLost, ""
	}
	w.asked[name]++
	lost := w.severed[name]
	delete(w.severed, name)
	if f.luck--; f.luck == -1 {
		lost = 1 + loss(w.ill.IntN(int(losses)-1))
	}
	f.luck = max(f.luck, -2)
	if lost != nothingLost {
		w.lost++
		w.trace("%s loses %s: %s", f.name, lost, name)
	}
	return lost, name
}

// cutRows is an answer cut after its first row, or within it. An answer without rows is not cut: the next one is.
type cutRows struct {
	*stdlib.Rows
	line *line
	f    *fiber
	lost loss
	name string
	came bool
}

// Next implements driver.Rows.
func (r *cutRows) Next(to []driver.Value) error {
	if r.came {
		return r.line.lose()
	}
	r.came = true
	if err := r.Rows.Next(to); err != nil {
		r.f.spare(r.name, r.lost)
		return err
	}
	if r.lost == rowHalf {
		r.line.cut = true
		for i := range to {
			to[i] = unreadable{}
		}
	}
	return nil
}

// spare leaves a loss for the next statement of its name.
func (f *fiber) spare(name string, lost loss) {
	f.world.points.Lock()
	defer f.world.points.Unlock()
	f.world.lost--
	if f.world.severed != nil {
		f.world.severed[name] = lost
	}
}

// unreadable is a value for no variable: reading it fails, as it does when the reader gives up in the middle of a row.
type unreadable struct{}
