package admincmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"causeway/chains/seed"
	"causeway/internal/cli/command"
	"causeway/internal/pay"
)

// CreatedSeed is the public part of a new seed.
type CreatedSeed struct {
	SeedFile string                `json:"seed_file"`
	XPubs    map[pay.Family]string `json:"xpubs"`
}

func (p *commands) seedCommands() *cobra.Command {
	var out, passphraseFile string
	create := &cobra.Command{Use: "create --out FILE --passphrase-file FILE", Args: cobra.NoArgs,
		Short: "create the seed of all private keys; its words are shown once, on standard error",
		RunE: func(c *cobra.Command, _ []string) error {
			made, err := p.createSeed(c, out, passphraseFile)
			if err != nil {
				return err
			}
			return p.Print(made)
		}}
	create.Flags().StringVar(&out, "out", "", "file to write, which must not exist")
	create.Flags().StringVar(&passphraseFile, "passphrase-file", "", "file with the passphrase that encrypts it")
	return command.Group("seed", "the seed of all private keys", command.Need(create, "out", "passphrase-file"), p.seedRestoreCommand())
}

func (p *commands) seedRestoreCommand() *cobra.Command {
	var out, passphraseFile, wordsFile string
	c := &cobra.Command{Use: "restore --out FILE --passphrase-file FILE --words-file FILE", Args: cobra.NoArgs,
		Short: "write the seed file again from its 24 words",
		RunE: func(c *cobra.Command, _ []string) error {
			made, err := p.restoreSeed(c, out, passphraseFile, wordsFile)
			if err != nil {
				return err
			}
			return p.Print(made)
		}}
	c.Flags().StringVar(&out, "out", "", "file to write, which must not exist")
	c.Flags().StringVar(&passphraseFile, "passphrase-file", "", "file with the passphrase that encrypts it")
	c.Flags().StringVar(&wordsFile, "words-file", "", "file with the words, in their order (/dev/stdin to type them)")
	return command.Need(c, "out", "passphrase-file", "words-file")
}

func (p *commands) createSeed(c *cobra.Command, path, passphraseFile string) (*CreatedSeed, error) {
	passphrase, err := seed.ReadPassphrase(passphraseFile)
	if err != nil {
		return nil, err
	}
	defer p.Doing(c)()
	words, err := seed.Create(path, passphrase)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(p.Stderr, "Write these 24 words down and keep them apart from this machine. They are not shown again:\n\n    %s\n\n", words)
	return p.knownOf(path, passphrase)
}

func (p *commands) restoreSeed(c *cobra.Command, path, passphraseFile, wordsFile string) (*CreatedSeed, error) {
	passphrase, err := seed.ReadPassphrase(passphraseFile)
	if err != nil {
		return nil, err
	}
	words, err := os.ReadFile(wordsFile) // #nosec G304 -- the operator names the file
	if err != nil {
		return nil, fmt.Errorf("words file: %w", err)
	}
	defer clear(words)
	defer p.Doing(c)()
	if err := seed.Restore(path, passphrase, string(words)); err != nil {
		return nil, err
	}
	return p.knownOf(path, passphrase)
}

// knownOf reads the public part back from a seed file, for the configuration of the other processes.
func (p *commands) knownOf(path, passphrase string) (*CreatedSeed, error) {
	secret, err := seed.Open(path, passphrase)
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	made := &CreatedSeed{SeedFile: path, XPubs: map[pay.Family]string{}}
	for _, d := range p.Drivers {
		if d.Public == nil {
			continue
		}
		for _, family := range d.Families {
			if made.XPubs[family], err = d.Public(secret, family); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}
