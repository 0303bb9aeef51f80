package admin

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

// Fields are settings of one thing, name to value as they were typed.
type Fields map[string]string

// setters read one field each into the thing to change.
type setters map[string]func(value string) error

// apply sets every field, in the order of their names. It refuses an unknown name with a list of the known ones.
func (f Fields) apply(to setters) error {
	if len(f) == 0 {
		return misread("nothing to set: name=value of %s", strings.Join(slices.Sorted(maps.Keys(to)), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		set, known := to[name]
		if !known {
			return misread("there is no field %q: %s are", name, strings.Join(slices.Sorted(maps.Keys(to)), ", "))
		}
		if err := set(f[name]); err != nil {
			return at(name, err)
		}
	}
	return nil
}

// RateFields and TokenFields name the fields of SetRates and SetToken, for lists of choices.
func RateFields() []string { return slices.Sorted(maps.Keys(ownRates(new(pay.Terms)))) }

// TokenFields is like RateFields.
func TokenFields() []string { return slices.Sorted(maps.Keys(tokenFields(new(pay.Token)))) }

var decimalForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// mostDigits is how many digits a number has at most before its point.
const mostDigits = 30

// number reads a plain decimal of at least zero, with at most so many decimals.
func number(text string, scale int) (decimal.Decimal, error) {
	digits, decimals, _ := strings.Cut(text, ".")
	switch {
	case !decimalForm.MatchString(text):
		return decimal.Zero, misread("%q is not a plain number like 1.5", text)
	case len(digits) > mostDigits:
		return decimal.Zero, misread("%s has more than %d digits before its point", text, mostDigits)
	case len(decimals) > exactScale:
		return decimal.Zero, refuse("%s has more than %d decimals", text, scale)
	}
	d, err := decimal.NewFromString(text)
	if err == nil && !d.Equal(pricing.Cut(d, scale)) {
		err = refuse("%s has more than %d decimals", text, scale)
	}
	return d, err
}

// PlainAmount reads an amount above zero with at most so many decimals.
func PlainAmount(text string, scale int) (decimal.Decimal, error) {
	d, err := number(text, scale)
	if err == nil && d.IsZero() {
		err = misread("the amount must be above zero")
	}
	return d, err
}

// percent reads a rate from 0 to 100 with at most so many decimals.
func percent(text string, scale int) (decimal.Decimal, error) {
	d, err := number(text, scale)
	if err == nil && d.GreaterThan(decimal.NewFromInt(100)) {
		err = refuse("%s is more than 100 percent, the most allowed", text)
	}
	return d, err
}

// onOff reads a switch.
func onOff(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "on", "true", "yes", "1":
		return true, nil
	case "off", "false", "no", "0":
		return false, nil
	default:
		return false, misread("%q is not on or off", text)
	}
}

// whole reads a whole number from least to most.
func whole(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, misread("%q is not a whole number from %d to %d", text, least, most)
	}
	return n, nil
}

func setSwitch(to *bool) func(string) error {
	return func(text string) (err error) {
		v, err := onOff(text)
		if err == nil {
			*to = v
		}
		return err
	}
}

func setNumber(to *decimal.Decimal, scale int) func(string) error {
	return func(text string) error {
		v, err := number(text, scale)
		if err == nil {
			*to = v
		}
		return err
	}
}

func setPercent(to *decimal.Decimal, scale int) func(string) error {
	return func(text string) error {
		v, err := percent(text, scale)
		if err == nil {
			*to = v
		}
		return err
	}
}
