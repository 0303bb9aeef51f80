package tronnode

import (
	_ "embed" // the tokens' code
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Tokens of the fake, in the order of their contracts. Each has six decimals, and Rich owns it.
const (
	USDT   = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t" // as on Tron; transfer returns false when it has worked
	Silent = "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8" // transfer returns nothing. On Tron this is the address of USDC, whose code is another
)

// code20 is a token's contract.
type code20 struct {
	code   []byte
	abi    abi.ABI
	spec   json.RawMessage // of the abi
	name   string
	factor int64 // of dynamic energy, in ten-thousandths
}

//go:embed testdata/tokens/tokens.json
var compiled []byte

// tokens returns the contracts of the first block, by address.
func tokens() (map[common.Address]*code20, error) {
	var found map[string]struct {
		ABI  json.RawMessage
		Code string
	}
	if err := json.Unmarshal(compiled, &found); err != nil {
		return nil, err
	}
	contracts := map[common.Address]*code20{}
	for at, name := range map[string]string{USDT: "Tether", Silent: "Silent"} {
		address, err := Address(at)
		if err != nil {
			return nil, err
		}
		code, err := hex.DecodeString(found[name].Code)
		if err != nil {
			return nil, err
		}
		read, err := abi.JSON(strings.NewReader(string(found[name].ABI)))
		if err != nil {
			return nil, err
		}
		contracts[address] = &code20{code: code, abi: read, spec: found[name].ABI, name: name}
	}
	return contracts, nil
}

// entries prints the abi as nodes do: kinds with capitals, constant methods marked, and nothing that is false or empty.
func (c *code20) entries() []object {
	var entries []object
	if json.Unmarshal(c.spec, &entries) != nil {
		return nil
	}
	for _, e := range entries {
		if m := e["stateMutability"]; m == "view" || m == "pure" {
			e["constant"] = true
		}
		for name, value := range e {
			switch v := value.(type) {
			case string:
				if name != "name" {
					e[name] = strings.ToUpper(v[:1]) + v[1:]
				}
			case bool:
				if !v {
					delete(e, name)
				}
			case []any:
				trim(e, name, v)
			}
		}
	}
	return entries
}

// trim leaves out an empty list, and of parameters what only compilers know.
func trim(e object, name string, list []any) {
	if len(list) == 0 {
		delete(e, name)
	}
	for _, item := range list {
		parameter, ok := item.(map[string]any)
		if !ok {
			continue
		}
		delete(parameter, "internalType")
		for _, key := range []string{"name", "indexed"} {
			if v := parameter[key]; v == "" || v == false {
				delete(parameter, key)
			}
		}
	}
}

func (c *code20) hash() []byte { return crypto.Keccak256(c.code) }
