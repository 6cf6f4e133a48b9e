// A bare server of the first page of parts: net/http and pgx as their manuals show them, without sign-in, limits, log and
// metrics. It joins the documents that the table stores.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const pageSize = 10

const statement = `
	select document from sourcing.parts where state = 'PUBLISHED' and not internal order by id desc limit 11`

func main() {
	parameters := []any{pgx.QueryExecModeCacheStatement, pgx.QueryResultFormats{pgx.TextFormatCode}}
	config, err := pgxpool.ParseConfig(fmt.Sprintf("%s?pool_max_conns=%s", os.Getenv("DATABASE_URL"), os.Getenv("POOL_SIZE")))
	if err != nil {
		log.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /v1/parts", func(response http.ResponseWriter, request *http.Request) {
		rows, err := pool.Query(request.Context(), statement, parameters...)
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		texts := make([]string, 0, pageSize+1)
		for rows.Next() {
			texts = append(texts, string(rows.RawValues()[0]))
		}
		hasMore := len(texts) > pageSize
		if hasMore {
			texts = texts[:pageSize]
		}
		body := fmt.Sprintf(`{"items":[%s],"hasMore":%t}`, strings.Join(texts, ","), hasMore)
		response.Header().Set("Content-Type", "application/json")
		response.Header().Set("Content-Length", strconv.Itoa(len(body)))
		io.WriteString(response, body)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
