package solana

import "encoding/binary"

// The programs that a transaction of ours calls.
var (
	systemProgram     = mustKey("11111111111111111111111111111111")
	tokenProgram      = mustKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
	token2022Program  = mustKey("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
	associatedProgram = mustKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
	budgetProgram     = mustKey("ComputeBudget111111111111111111111111111111")
)

// wrappedMint is the mint of SOL in accounts of a token.
var wrappedMint = mustKey("So11111111111111111111111111111111111111112")

// The first bytes of the instructions that are ever signed.
const (
	systemTransfer        = 2
	tokenCloseAccount     = 9
	tokenTransferChecked  = 12
	associatedIdempotent  = 1
	budgetLimit           = 2
	budgetPrice           = 3
	sizeOfSystemTransfer  = 12
	sizeOfTransferChecked = 10
)

// access is an account of an instruction, and what may be done with it.
type access struct {
	key              key
	signer, writable bool
}

// instruction is one call of a program.
type instruction struct {
	program  key
	accounts []access
	data     []byte
}

// limitUnits bounds the compute units of a transaction.
func limitUnits(units uint32) instruction {
	return instruction{program: budgetProgram, data: binary.LittleEndian.AppendUint32([]byte{budgetLimit}, units)}
}

// priceUnits offers micro-lamports for each compute unit of the limit.
func priceUnits(price uint64) instruction {
	return instruction{program: budgetProgram, data: binary.LittleEndian.AppendUint64([]byte{budgetPrice}, price)}
}

// transferCoin moves lamports.
func transferCoin(from, to key, lamports uint64) instruction {
	data := binary.LittleEndian.AppendUint32(nil, systemTransfer)
	return instruction{systemProgram, []access{{from, true, true}, {to, false, true}}, binary.LittleEndian.AppendUint64(data, lamports)}
}

// transferToken moves units between two accounts of a mint. The program checks the mint and its decimals.
func transferToken(program, from, mint, to, owner key, units uint64, decimals uint8) instruction {
	data := binary.LittleEndian.AppendUint64([]byte{tokenTransferChecked}, units)
	return instruction{program, []access{{from, false, true}, {mint, false, false}, {to, false, true}, {owner, true, false}}, append(data, decimals)}
}

// createAccount makes the owner's account of a token, unless it is there. The payer lends its rent.
func createAccount(payer, account, owner, mint, program key) instruction {
	return instruction{associatedProgram, []access{{payer, true, true}, {account, false, true}, {owner, false, false}, {mint, false, false},
		{systemProgram, false, false}, {program, false, false}}, []byte{associatedIdempotent}}
}

// closeAccount ends an empty account of a token. Its rent goes to another account.
func closeAccount(program, account, rentTo, owner key) instruction {
	return instruction{program, []access{{account, false, true}, {rentTo, false, true}, {owner, true, false}}, []byte{tokenCloseAccount}}
}
