package testkit_test

import (
	"testing"
	"time"

	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	if err := migrations.Ready(t.Context(), testkit.DB(t)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two", "three", "four"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := testkit.DB(t).ExecContext(t.Context(), "create table mine as select 1"); err != nil {
				t.Fatal(err)
			}
			if first, second := testkit.DB(t), testkit.DB(t); first != second {
				t.Error("the same test was given two pools")
			}
		})
	}
}

func TestEachTestHasItsOwnRedis(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two", "three", "four"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh, err := testkit.Redis(t).SetNX(t.Context(), "mine", name, 0).Result()
			if err != nil {
				t.Fatal(err)
			}
			if !fresh {
				t.Error("another test's key is here")
			}
		})
	}
}

func TestPrivateServersCanFail(t *testing.T) {
	t.Parallel()
	stack := testkit.PrivateStack(t)
	if err := stack.Redis.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := stack.Redis.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stack.Redis.URL != stack.RedisURL {
		t.Error("Redis came back at another address")
	}
}

func TestEventually(t *testing.T) {
	t.Parallel()
	calls := 0
	testkit.Eventually(t, time.Second, func() bool { calls++; return calls == 3 }, "the third call")
	if calls != 3 {
		t.Errorf("asked %d times", calls)
	}
}
