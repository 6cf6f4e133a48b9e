// A bare server of the first page of parts: net/http and pgx as their manuals show them, without sign-in, limits, log and
// metrics. It joins the texts that the statement of the service reads.
package main

import (
	"context"
	"encoding/json"
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

func main() {
	// The parameters are texts, as the log of Postgres shows them; a null is nil.
	var texts []*string
	if err := json.Unmarshal([]byte(os.Getenv("PARAMETERS")), &texts); err != nil {
		log.Fatal(err)
	}
	parameters := []any{pgx.QueryExecModeCacheStatement, pgx.QueryResultFormats{pgx.TextFormatCode}}
	for _, text := range texts {
		parameters = append(parameters, text)
	}
	config, err := pgxpool.ParseConfig(fmt.Sprintf("%s?pool_max_conns=%s", os.Getenv("DATABASE_URL"), os.Getenv("POOL_SIZE")))
	if err != nil {
		log.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	statement := os.Getenv("STATEMENT")

	http.HandleFunc("GET /v1/parts", func(response http.ResponseWriter, request *http.Request) {
		rows, err := pool.Query(request.Context(), statement, parameters...)
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		texts := make([]string, 0, pageSize+1)
		document := -1
		for rows.Next() {
			values := rows.RawValues()
			if document < 0 {
				for at, field := range rows.FieldDescriptions() {
					if field.Name == "document" {
						document = at
					}
				}
			}
			texts = append(texts, string(values[document]))
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
