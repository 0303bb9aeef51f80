package client

import (
	"encoding/json"
	"time"
)

// Moment is a time as the API writes it: YYYY-MM-DD HH:MM:SS in UTC.
type Moment struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *Moment) UnmarshalJSON(text []byte) (err error) {
	var word string
	if err = json.Unmarshal(text, &word); err != nil {
		return err
	}
	m.Time, err = time.ParseInLocation(time.DateTime, word, time.UTC)
	return err
}

// MarshalJSON implements json.Marshaler.
func (m Moment) MarshalJSON() ([]byte, error) {
	return json.Marshal(m.UTC().Format(time.DateTime))
}
