// Package servicecmd has the commands for the whole service: config, migrate and run.
package servicecmd

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
)

// Config is causeway config.
func Config(p *command.Line) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "config", Short: "print every setting, its meaning, default, value and source", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := p.Settings()
			if err != nil {
				return err
			}
			show := func(list []settings.ShownSetting) error { return printSettings(p, list) }
			if asJSON {
				show = func(list []settings.ShownSetting) error { return p.Print(list) }
			}
			return errors.Join(show(append(s.Show(), s.ShowCold()...)), suffices(p, s)) // print first: a reader looks for the missing setting in the list
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// suffices refuses settings unfit to start any role.
func suffices(p *command.Line, s *settings.Settings) error {
	if err := s.Need(settings.OfRoles...); err != nil {
		return err
	}
	if s.ListenAddr == s.OperatorAddr {
		return errors.New("OPERATOR_ADDR is LISTEN_ADDR: the operator port needs an address of its own")
	}
	return warn(p, s)
}

// warn refuses settings unfit to start any role, and warns, on standard error, of probable mistakes.
func warn(p *command.Line, s *settings.Settings) error {
	warnings, err := s.Warnings()
	if err != nil {
		return err
	}
	beside, err := s.SandboxSettings()
	if err != nil {
		return err
	}
	if beside != nil {
		more, err := beside.Warnings()
		if err != nil {
			return err
		}
		warnings = append(warnings, more...)
	}
	for _, w := range warnings {
		fmt.Fprintln(p.Stderr, "causeway: warning:", w)
	}
	return nil
}

func printSettings(p *command.Line, list []settings.ShownSetting) error {
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
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
