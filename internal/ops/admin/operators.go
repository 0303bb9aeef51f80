package admin

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// The roles of operators (operator §Console). Each has the rights of those before it too.
const (
	RoleViewer   = "viewer"   // looks
	RoleOperator = "operator" // decides on payouts, webhooks and unclaimed money
	RoleAdmin    = "admin"    // changes merchants, keys, the catalogue, prices and stops
)

// Roles lists the roles, the least first.
var Roles = []string{RoleViewer, RoleOperator, RoleAdmin}

// MayAct reports whether a role has the rights of another one.
func MayAct(role, needed string) bool {
	return slices.Index(Roles, role) >= slices.Index(Roles, needed)
}

// Operator is a user of the console, without secrets.
type Operator struct {
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	TOTP       bool       `json:"totp"`      // logs in with a code, too
	LockedAt   *time.Time `json:"locked_at"` // after 50 wrong codes in a row
	DisabledAt *time.Time `json:"disabled_at"`
	CreatedAt  time.Time  `json:"created_at"`
}

func viewOperator(o *store.Operator) Operator {
	return Operator{Name: o.Name, Role: o.Role, TOTP: o.TOTP != nil, LockedAt: o.LockedAt, DisabledAt: o.DisabledAt, CreatedAt: o.CreatedAt}
}

var operatorName = regexp.MustCompile(`^[a-z0-9][a-z0-9._@-]{0,63}$`)

func goodPassword(password string) error {
	if problem := login.PasswordProblem(password); problem != "" {
		return refuse("%s", problem)
	}
	return nil
}

func goodRole(role string) error {
	if !slices.Contains(Roles, role) {
		return misread("there is no role %q: %s are", role, strings.Join(Roles, ", "))
	}
	return nil
}

// Operators lists the operators of the console.
func (a *Admin) Operators(ctx context.Context) ([]Operator, error) {
	rows, err := a.Store.Operators(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Operator, len(rows))
	for i := range rows {
		out[i] = viewOperator(&rows[i])
	}
	return out, nil
}

// Operator shows one operator of the console.
func (a *Admin) Operator(ctx context.Context, name string) (*Operator, error) {
	o, err := a.Store.OperatorNamed(ctx, name)
	if err != nil {
		return nil, named(err, "operator %q", name)
	}
	view := viewOperator(o)
	return &view, nil
}

// CheckOperator refuses a name or a role as CreateOperator would. Its caller asks for the password afterwards.
func CheckOperator(name, role string) error {
	if !operatorName.MatchString(name) {
		return misread("an operator's name is 1 to 64 of a-z, 0-9, dot, dash, underscore and @, beginning with a letter or digit")
	}
	return goodRole(role)
}

// CreateOperator lets somebody use the console.
func (a *Admin) CreateOperator(ctx context.Context, name, role, password string) (*Operator, error) {
	return a.createOperator(ctx, name, role, password, func(*store.Store) error { return nil })
}

// CreateFirstOperator makes the first operator, an admin, for the holder of the link with this hash. The link is good once.
func (a *Admin) CreateFirstOperator(ctx context.Context, name, password string, link []byte) (*Operator, error) {
	return a.createOperator(ctx, name, RoleAdmin, password, func(tx *store.Store) error {
		good, err := tx.SpendFirst(ctx, link)
		if err == nil && !good {
			err = refuse("this link no longer works: use causeway admin operator create %s --role admin", name)
		}
		return err
	})
}

func (a *Admin) createOperator(ctx context.Context, name, role, password string, allowed func(*store.Store) error) (*Operator, error) {
	if err := CheckOperator(name, role); err != nil {
		return nil, err
	}
	if err := goodPassword(password); err != nil {
		return nil, err
	}
	var view Operator
	err := a.Change(ctx, "operator.create", "operator:"+name, func(tx *store.Store) (before, after any, err error) {
		if err := allowed(tx); err != nil {
			return nil, nil, err
		}
		fresh, err := tx.AddOperator(ctx, &store.Operator{ID: uuid.Must(uuid.NewV7()), Name: name, Role: role,
			Password: vault.HashPassword(password)})
		if err == nil && !fresh {
			err = refuse("an operator %q exists already", name)
		}
		if err != nil {
			return nil, nil, err
		}
		o, err := tx.OperatorNamed(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		view = viewOperator(o)
		return nil, view, nil
	})
	return &view, err
}

// DisableOperator ends every login of an operator and lets nobody log in under the name.
func (a *Admin) DisableOperator(ctx context.Context, name string) (*Operator, error) {
	return a.changeOperator(ctx, "operator.disable", name, func(tx *store.Store, o *store.Operator) error {
		if o.DisabledAt != nil {
			return refuse("operator %s is disabled already", name)
		}
		o.DisabledAt, o.TOTPOffered = new(time.Now()), nil
		return tx.EndSessions(ctx, o.ID, nil)
	})
}

// EnableOperator lets a disabled operator log in again.
func (a *Admin) EnableOperator(ctx context.Context, name string) (*Operator, error) {
	return a.changeOperator(ctx, "operator.enable", name, func(tx *store.Store, o *store.Operator) error {
		if o.DisabledAt == nil {
			return refuse("operator %s is not disabled", name)
		}
		o.DisabledAt, o.TOTPOffered = nil, nil
		return tx.EndSessions(ctx, o.ID, nil)
	})
}

// UnlockOperator lets an operator log in again after too many wrong codes locked them. The guesser knew the password: it is to be
// changed.
func (a *Admin) UnlockOperator(ctx context.Context, name string) (*Operator, error) {
	return a.changeOperator(ctx, "operator.unlock", name, func(_ *store.Store, o *store.Operator) error {
		if o.LockedAt == nil {
			return refuse("operator %s is not locked", name)
		}
		o.LockedAt, o.WrongCodes = nil, 0
		return nil
	})
}

// SetOperatorPassword gives an operator another password, and ends every login under the old one. A TOTP secret offered meanwhile is
// offered no more: somebody with the old password may have seen it.
func (a *Admin) SetOperatorPassword(ctx context.Context, name, password string) (*Operator, error) {
	if err := goodPassword(password); err != nil {
		return nil, err
	}
	return a.changeOperator(ctx, "operator.password", name, func(tx *store.Store, o *store.Operator) error {
		o.Password, o.TOTPOffered = vault.HashPassword(password), nil
		return tx.EndSessions(ctx, o.ID, nil)
	})
}

// SetOwnPassword is SetOperatorPassword by the operator of a session.
func (a *Admin) SetOwnPassword(ctx context.Context, name, password string, session []byte) (o *Operator, err error) {
	err = a.inSession(ctx, name, session, func(own *Admin) error {
		o, err = own.SetOperatorPassword(ctx, name, password)
		return err
	})
	return o, err
}

// SetOperatorRole changes an operator's rights, from the next request on.
func (a *Admin) SetOperatorRole(ctx context.Context, name, role string) (*Operator, error) {
	if err := goodRole(role); err != nil {
		return nil, err
	}
	return a.changeOperator(ctx, "operator.role", name, func(_ *store.Store, o *store.Operator) error {
		o.Role = role
		return nil
	})
}

// changeOperator changes an operator's row under its lock, and returns how it is then.
func (a *Admin) changeOperator(ctx context.Context, action, name string, work func(*store.Store, *store.Operator) error) (*Operator, error) {
	var view Operator
	err := a.Change(ctx, action, "operator:"+name, func(tx *store.Store) (before, after any, err error) {
		o, err := tx.OperatorForUpdate(ctx, name)
		if err != nil {
			return nil, nil, named(err, "operator %q", name)
		}
		before = viewOperator(o)
		if err := work(tx, o); err != nil {
			return nil, nil, err
		}
		view = viewOperator(o)
		return before, view, tx.SaveOperator(ctx, o)
	})
	return &view, err
}
