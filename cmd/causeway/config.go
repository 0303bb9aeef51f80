package main

import (
	"fmt"
	"reflect"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// shownSetting is one setting as `causeway config` shows it, secrets masked.
type shownSetting struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default string `json:"default"`
	Value   string `json:"value"`
	Source  string `json:"source"`
}

func (p *program) configCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "config", Short: "print every setting, its meaning, default, value and source", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := p.settings()
			if err != nil {
				return err
			}
			if _, err := s.readNetworks(); err != nil {
				return err
			}
			if _, err := s.beside(); err != nil {
				return err
			}
			if asJSON {
				return p.print(s.show())
			}
			return p.printSettings(s.show())
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (s *Settings) show() []shownSetting {
	var out []shownSetting
	for f := range reflect.TypeFor[Settings]().Fields() {
		name := f.Tag.Get("env")
		if name == "" || name == "-" {
			continue
		}
		shown := shownSetting{Name: name, Meaning: f.Tag.Get("about"), Default: f.Tag.Get("envDefault"), Source: s.Source(name)}
		shown.Value = shown.Default
		if text, given := s.texts[name]; given {
			shown.Value = shownText(name, text)
		}
		out = append(out, shown)
	}
	return out
}

func shownText(name, text string) string {
	switch name {
	case "SECRETS_KEY", "SANDBOX_SECRETS_KEY":
		return mask
	case "DATABASE_URL", "REDIS_URL", "SANDBOX_DATABASE_URL", "SANDBOX_REDIS_URL":
		return masked(text)
	default:
		return text
	}
}

func (p *program) printSettings(list []shownSetting) error {
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SETTING\tVALUE\tSOURCE\tDEFAULT\tMEANING")
	for _, s := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", s.Name, dash(s.Value), s.Source, dash(s.Default), s.Meaning)
	}
	return table.Flush()
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
