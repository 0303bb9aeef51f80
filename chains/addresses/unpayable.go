package addresses

// tokenContracts are the best-known tokens of each network. Money sent to a token's own contract
// or mint is lost, and customers do paste it in place of their wallet.
var tokenContracts = map[string][]string{
	"Ethereum": {"0xdAC17F958D2ee523a2206206994597C13D831ec7", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"},
	"BinanceSmartChain": {"0x55d398326f99059fF775485246999027B3197955",
		"0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"},
	"Polygon": {"0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
		"0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", "0x0000000000000000000000000000000000001010"},
	"Avalanche": {"0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"},
	"ArbitrumOne": {"0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
		"0xaf88d065e77c8cC2239327C5EDb3A432268e5831"},
	"Arbitrum": {"0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"},
	"Optimism": {"0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"},
	"Base":     {"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"},
	"Celo": {"0xcebA9300f2b948710d2653dD7B07f33A8B32118C", "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e",
		"0x471EcE3750Da237f93B8E339c536989b8978a438"},
	"Cronos": {"0xc21223249CA28397B4B6541dfFaEcC539BfF0c59", "0x66e428c3f67a68878562e79A0234c1F83c208770"},
	"OpBnb":  {"0x9e5AAC1Ba1a2e6aEd6b32689DFcF62A509Ca96f3"},
	"Xlayer": {"0x74b7F16337b8972027F6196A17a631aC6dE26d22", "0x1E4a5963aBFD975d8c9021ce480b42188849D41d"},
	"Tron":   {"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8"},
	"Solana": {"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		"So11111111111111111111111111111111111111112"},
	"TON": {"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"},
}

// sinks are accounts without any spender, and programs.
var sinks = map[string][]string{
	"Tron":   {"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"},
	"Ripple": {"rrrrrrrrrrrrrrrrrrrrrhoLvTp", "rrrrrrrrrrrrrrrrrrrrBZbvji"},
	"Solana": {"11111111111111111111111111111111", "1nc1nerator11111111111111111111111111111111",
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
		"ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"},
	"TON": {"0:0000000000000000000000000000000000000000000000000000000000000000",
		"-1:0000000000000000000000000000000000000000000000000000000000000000"},
}

// unpayable says, by network and matching key, why a well-formed address is refused.
var unpayable = map[string]map[string]string{}

func init() {
	refuse(tokenContracts, "a token's own contract")
	refuse(sinks, "nobody's account")
}

func refuse(list map[string][]string, why string) {
	for network, addresses := range list {
		if unpayable[network] == nil {
			unpayable[network] = map[string]string{}
		}
		for _, address := range addresses {
			r, err := read(network, address)
			if err != nil {
				panic("addresses: built-in address of " + network + ": " + err.Error())
			}
			unpayable[network][r.key()] = why
		}
	}
}
