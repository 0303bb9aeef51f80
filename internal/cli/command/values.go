package command

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/spf13/pflag"
)

// value is a flag read together with the command line: an unreadable one is bad usage, before anything has begun.
type value[T any] struct {
	to   *T
	kind string // as --help names it
	read func(text string) (T, error)
}

// Set implements pflag.Value.
func (v *value[T]) Set(text string) error {
	read, err := v.read(text)
	if err == nil {
		*v.to = read
	}
	return err
}

// String implements pflag.Value.
func (v *value[T]) String() string { return fmt.Sprint(*v.to) }

// Type implements pflag.Value.
func (v *value[T]) Type() string { return v.kind }

// Read adds a flag for the function read to read; the value in to is its default. An error of read is a line to follow the flag's name.
func Read[T any](flags *pflag.FlagSet, to *T, name, usage string, read func(text string) (T, error)) {
	flags.Var(&value[T]{to, "string", read}, name, usage)
}

// Whole adds a flag of a whole number from least to most; the value in to is its default.
func Whole[T int | int64](flags *pflag.FlagSet, to *T, name string, least, most T, usage string) {
	flags.Var(&value[T]{to, "int", func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < int64(least) || n > int64(most) {
			return 0, fmt.Errorf("%q is not a whole number from %d to %d", text, least, most)
		}
		return T(n), nil
	}}, name, usage)
}

var amountForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// The most digits of an amount: before its point, and after it.
const (
	mostDigits   = 30
	mostDecimals = 36
)

// Amount adds a flag of a plain amount, without a sign.
func Amount(flags *pflag.FlagSet, to *decimal.Decimal, name, usage string) {
	Read(flags, to, name, usage, func(text string) (decimal.Decimal, error) {
		digits, decimals, _ := strings.Cut(text, ".")
		switch {
		case !amountForm.MatchString(text):
			return decimal.Zero, fmt.Errorf("%q is not a plain amount like 1.5", text)
		case len(digits) > mostDigits:
			return decimal.Zero, fmt.Errorf("more than %d digits before its point", mostDigits)
		case len(decimals) > mostDecimals:
			return decimal.Zero, fmt.Errorf("more than %d decimals", mostDecimals)
		}
		return decimal.NewFromString(text)
	})
}

// Web adds a flag of an http or https address.
func Web(flags *pflag.FlagSet, to *string, name, usage string) {
	Read(flags, to, name, usage, func(text string) (string, error) {
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "", fmt.Errorf("%q is not an address like https://shop.example/webhooks", text)
		}
		return text, nil
	})
}
