package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/julienschmidt/httprouter"
)

// bareQueries are the reads by themselves: one prepared query each, with rows as JSON already.
var bareQueries = map[string]string{
	"/balances/:id": `select coalesce(json_agg(b), '[]') from (select asset, available::text, locked::text from balances where merchant_id = $1) b`,
	"/payout/:id":   `select to_json(p) from payouts p where id = $1`,
	"/list/:id":     `select coalesce(json_agg(p), '[]') from (select * from payouts where merchant_id = $1 order by created_at desc, id desc limit 50) p`,
}

// serveBare serves them with nothing around: no key, no limit, no checks. The API's reads are compared to it.
func serveBare(ctx context.Context, address string) error {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(barePool)
	db.SetMaxIdleConns(barePool)
	router := httprouter.New()
	for path, query := range bareQueries {
		router.GET(path, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			var answer json.RawMessage
			if err := db.QueryRowContext(r.Context(), query, params.ByName("id")).Scan(&answer); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		})
	}
	router.GET("/readyz", func(http.ResponseWriter, *http.Request, httprouter.Params) {})
	server := &http.Server{Addr: address, Handler: router, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return db.Close()
}

const barePool = 32 // as the API's, at its default concurrency

var _ = stdlib.GetDefaultDriver // registers "pgx"
