package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/redis/go-redis/v9"
	"github.com/uptrace/bun"

	"causeway/migrations"
	"causeway/store"
)

// patience is how long a server may take to answer at the start.
const patience = 5 * time.Second

// openDatabase opens a pool and makes sure that it answers. The error is one line with the setting and the address,
// without its password.
func (s *Settings) openDatabase(ctx context.Context, poolSize int) (*bun.DB, error) {
	db, err := store.Open(string(s.DatabaseURL), poolSize)
	if err != nil {
		return nil, errors.New(s.named("DATABASE_URL") + ": not an address of a PostgreSQL database")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(unreachable(s.named("DATABASE_URL"), string(s.DatabaseURL), err), db.Close())
	}
	return db, nil
}

// openSchema is openDatabase for a command that needs every table.
func (s *Settings) openSchema(ctx context.Context, poolSize int) (*bun.DB, error) {
	db, err := s.openDatabase(ctx, poolSize)
	if err != nil {
		return nil, err
	}
	if err := migrations.Ready(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("the database is not migrated (causeway migrate up): %w", err), db.Close())
	}
	if err := s.ownBooks(ctx, store.New(db)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// openRedis opens a client and makes sure that it answers.
func (s *Settings) openRedis(ctx context.Context) (*redis.Client, error) {
	client, err := s.redisClient()
	if err != nil {
		return nil, err
	}
	if err := s.answers(ctx, client); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

func (s *Settings) redisClient() (*redis.Client, error) {
	options, err := redis.ParseURL(string(s.RedisURL))
	if err != nil {
		return nil, errors.New(s.named("REDIS_URL") + ": not an address of a Redis")
	}
	return redis.NewClient(options), nil
}

// answers makes sure that Redis does.
func (s *Settings) answers(ctx context.Context, client *redis.Client) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := client.Ping(ctx).Err(); err != nil {
		return unreachable(s.named("REDIS_URL"), string(s.RedisURL), err)
	}
	return nil
}

func unreachable(setting, address string, err error) error {
	return fmt.Errorf("%s: %s cannot be used: %s", setting, masked(address), reason(err))
}

// reason is the innermost cause that helps: what the server said, or what the system says of the connection.
func reason(err error) string {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Message
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return name.Error()
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network.Err.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", patience)
	}
	return oneLine(err)
}

// mask stands for a secret.
const mask = "********"

// masked is an address without its password.
func masked(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return mask
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if query.Has(name) {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}
