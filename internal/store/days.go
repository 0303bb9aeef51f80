package store

import (
	"fmt"
	"time"
)

// Days returns the time from the beginning of one day to the end of another, in UTC; an empty day is no bound.
func Days(first, last string) (from, until time.Time, err error) {
	if from, err = day(first); err != nil {
		return from, until, err
	}
	if until, err = day(last); err == nil && !until.IsZero() {
		until = until.AddDate(0, 0, 1)
	}
	return from, until, err
}

// Days outside these years cannot be written both in ids and in the database.
const firstYear, lastYear = 1970, 9999

func day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() <= firstYear || t.Year() >= lastYear {
		return time.Time{}, fmt.Errorf("%q is no day: write it as 2006-01-02", text)
	}
	return t, nil
}
