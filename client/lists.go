package client

import (
	"net/url"
	"strconv"
	"time"
)

// ListFilter narrows ListPayouts and ListPayins (api-v1 §GET /v1/list-payout). Empty values filter nothing.
type ListFilter struct {
	Page           int // from 1; 1 when zero
	PerPage        int // 1 to 100; 50 when zero
	Status         string
	CryptoCurrency string
	Network        string // canonical name
	From, To       Day    // inclusive, in UTC-03:00
	ReferenceID    string
}

// Day is a date written YYYY-MM-DD, or nothing.
type Day string

// DayOf returns the day of a moment in UTC-03:00, the zone of the API's filters.
func DayOf(t time.Time) Day {
	return Day(t.In(time.FixedZone("UTC-03:00", -3*60*60)).Format(time.DateOnly))
}

func (f ListFilter) query() url.Values {
	return query(map[string]string{
		"page": number(f.Page), "per_page": number(f.PerPage), "status": f.Status, "crypto_currency": f.CryptoCurrency,
		"network": f.Network, "date_from": string(f.From), "date_to": string(f.To), "reference_id": f.ReferenceID,
	})
}

// query leaves out empty values.
func query(values map[string]string) url.Values {
	out := url.Values{}
	for name, value := range values {
		if value != "" {
			out.Set(name, value)
		}
	}
	return out
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Meta describes the page of a list.
type Meta struct {
	CurrentPage int               `json:"current_page"`
	PerPage     int               `json:"per_page"`
	Total       int               `json:"total"`
	TotalPages  int               `json:"total_pages"`
	Filters     map[string]string `json:"filters"`
}
