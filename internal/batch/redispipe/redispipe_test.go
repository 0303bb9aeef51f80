package redispipe_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"causeway/internal/batch/gather"
	"causeway/internal/batch/redispipe"
	"causeway/internal/dev/testkit"
)

// Each of many commands at once has its own answer, and its own error.
func TestCommandsThatTravelTogetherAreAnsweredEach(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	redispipe.Attach(client)
	script, broken := redis.NewScript("return redis.call('INCR', KEYS[1]) and ARGV[1]"), redis.NewScript("return redis.error_reply('broken')")
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			n := strconv.Itoa(i)
			if got, err := script.Run(t.Context(), client, []string{"count"}, n).Text(); got != n || err != nil {
				t.Errorf("script %s: %q, %v", n, got, err)
			}
			if err := client.Get(t.Context(), "missing"+n).Err(); !errors.Is(err, redis.Nil) {
				t.Errorf("missing: %v", err)
			}
			if err := broken.Run(t.Context(), client, nil).Err(); err == nil {
				t.Error("a script that fails did not")
			}
		})
	}
	all.Wait()
	if n, err := client.Get(t.Context(), "count").Int(); n != 200 || err != nil {
		t.Errorf("counted %d, %v", n, err)
	}
}

// explosive is an argument without a written form: writing it panics.
type explosive struct{}

func (explosive) MarshalBinary() ([]byte, error) { panic("it cannot be written") }

// A command panicking on its way fails, and neither ends the process nor closes a lane.
func TestAPanicOnTheWayIsTheErrorOfItsCommand(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	redispipe.Attach(client)
	for range 5 { // more than there are lanes
		if err := client.EvalSha(t.Context(), "0", nil, explosive{}).Err(); !errors.Is(err, gather.ErrPanic) {
			t.Errorf("what panicked answers %v", err)
		}
	}
	if err := client.Get(t.Context(), "missing").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("the next command: %v", err)
	}
}
