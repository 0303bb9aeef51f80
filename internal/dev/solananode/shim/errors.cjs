// The errors of transactions, named as the RPC of a validator names them.
"use strict";

const PLAIN = ["AccountInUse", "AccountLoadedTwice", "AccountNotFound", "ProgramAccountNotFound", "InsufficientFundsForFee", "InvalidAccountForFee",
  "AlreadyProcessed", "BlockhashNotFound", "CallChainTooDeep", "MissingSignatureForFee", "InvalidAccountIndex", "SignatureFailure",
  "InvalidProgramForExecution", "SanitizeFailure", "ClusterMaintenance", "AccountBorrowOutstanding", "WouldExceedMaxBlockCostLimit",
  "UnsupportedVersion", "InvalidWritableAccount", "WouldExceedMaxAccountCostLimit", "WouldExceedAccountDataBlockLimit", "TooManyAccountLocks",
  "AddressLookupTableNotFound", "InvalidAddressLookupTableOwner", "InvalidAddressLookupTableData", "InvalidAddressLookupTableIndex",
  "InvalidRentPayingAccount", "WouldExceedMaxVoteCostLimit", "WouldExceedAccountDataTotalLimit", "MaxLoadedAccountsDataSizeExceeded",
  "ResanitizationNeeded", "InvalidLoadedAccountsDataSizeLimit", "UnbalancedTransaction", "ProgramCacheHitMaxLimit", "CommitCancelled"];

const OF_INSTRUCTION = ["GenericError", "InvalidArgument", "InvalidInstructionData", "InvalidAccountData", "AccountDataTooSmall", "InsufficientFunds",
  "IncorrectProgramId", "MissingRequiredSignature", "AccountAlreadyInitialized", "UninitializedAccount", "UnbalancedInstruction", "ModifiedProgramId",
  "ExternalAccountLamportSpend", "ExternalAccountDataModified", "ReadonlyLamportChange", "ReadonlyDataModified", "DuplicateAccountIndex",
  "ExecutableModified", "RentEpochModified", "NotEnoughAccountKeys", "AccountDataSizeChanged", "AccountNotExecutable", "AccountBorrowFailed",
  "AccountBorrowOutstanding", "DuplicateAccountOutOfSync", "InvalidError", "ExecutableDataModified", "ExecutableLamportChange",
  "ExecutableAccountNotRentExempt", "UnsupportedProgramId", "CallDepth", "MissingAccount", "ReentrancyNotAllowed", "MaxSeedLengthExceeded",
  "InvalidSeeds", "InvalidRealloc", "ComputationalBudgetExceeded", "PrivilegeEscalation", "ProgramEnvironmentSetupFailure",
  "ProgramFailedToComplete", "ProgramFailedToCompile", "Immutable", "IncorrectAuthority", "AccountNotRentExempt", "InvalidAccountOwner",
  "ArithmeticOverflow", "UnsupportedSysvar", "IllegalOwner", "MaxAccountsDataAllocationsExceeded", "MaxAccountsExceeded",
  "MaxInstructionTraceLengthExceeded", "BuiltinProgramsMustConsumeComputeUnits", "BorshIoError"];

// named is the error of the runtime in the words of a validator's RPC.
function named(err) {
  if (typeof err === "number") return PLAIN[err];
  if ("accountIndex" in err) return { InsufficientFundsForRent: { account_index: err.accountIndex } };
  if (typeof err.err !== "function") return { DuplicateInstruction: err.index };
  const inner = err.err();
  if (typeof inner === "number") return { InstructionError: [err.index, OF_INSTRUCTION[inner]] };
  return { InstructionError: [err.index, "code" in inner ? { Custom: inner.code } : { BorshIoError: inner.msg }] };
}

// WORDS are the sentences of the errors that a simulation meets most.
const WORDS = {
  BlockhashNotFound: "Blockhash not found",
  AlreadyProcessed: "This transaction has already been processed",
  InsufficientFundsForFee: "Insufficient funds for fee",
  AccountNotFound: "Attempt to debit an account but found no record of a prior credit.",
};

function inWords(err) {
  if (typeof err === "string") return WORDS[err] || err;
  if (err.InstructionError) {
    const [place, what] = err.InstructionError;
    const words = what.Custom === undefined ? what : "custom program error: 0x" + what.Custom.toString(16);
    return `Error processing Instruction ${place}: ${typeof words === "string" ? words : JSON.stringify(words)}`;
  }
  return JSON.stringify(err);
}

// RPCError is an answer that is an error.
class RPCError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

module.exports = { named, inWords, RPCError };
