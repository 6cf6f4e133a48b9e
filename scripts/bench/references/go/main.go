// A bare server of the first page of parts: net/http and pgx as their manuals show them, and nothing else: no sign-in,
// no limits, no log, no metrics. It joins the texts that our own statement reads.
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

	"github.com/jackc/pgx/v5/pgxpool"
)

const pageSize = 10

func main() {
	var parameters []any
	decoder := json.NewDecoder(strings.NewReader(os.Getenv("PARAMETERS")))
	decoder.UseNumber()
	if err := decoder.Decode(&parameters); err != nil {
		log.Fatal(err)
	}
	for at, parameter := range parameters {
		if number, isNumber := parameter.(json.Number); isNumber {
			parameters[at], _ = number.Int64()
		}
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
		for rows.Next() {
			var position, document string
			if err := rows.Scan(&position, &document); err != nil {
				http.Error(response, err.Error(), http.StatusInternalServerError)
				return
			}
			texts = append(texts, document)
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
