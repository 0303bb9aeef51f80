package console_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// hangUp ends a request once a query about something was answered.
type hangUp struct {
	about string
	end   context.CancelFunc
}

// BeforeQuery implements bun.QueryHook.
func (h hangUp) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

// AfterQuery implements bun.QueryHook.
func (h hangUp) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	if strings.Contains(e.Query, h.about) {
		h.end()
	}
}

// A guess of a password is in the audit even when its client does not wait for the answer.
func TestAFailedLoginWhoseClientHangsUpIsAudited(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	a := &admin.Admin{Store: store.New(db), Actor: "test"}
	_, err := a.CreateOperator(t.Context(), "ann", admin.RoleViewer, password)
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	listening := db.WithQueryHook(hangUp{"operators", end})
	guess := &admin.Admin{Store: store.New(listening)}
	_, err = guess.Login(ctx, "ann", "not hers at all", "203.0.113.7")
	require.ErrorIs(t, err, admin.ErrNoLogin)
	require.Error(t, ctx.Err())
	rows, err := a.Store.Audit(t.Context(), "", 0, 1)
	require.NoError(t, err)
	require.Equal(t, "operator.login-failed", rows[0].Action)
}
