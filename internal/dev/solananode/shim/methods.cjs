// The questions of a validator's RPC that the connector asks, and a few for people. Any other is refused.
"use strict";
const { toBase58, address, parse } = require("./wire.cjs");
const { named, inWords, RPCError } = require("./errors.cjs");
const { AGE, fee } = require("./chain.cjs");

const VERSION = "shim around litesvm: no validator";
const MOST_ACCOUNTS = 100;
const MOST_SIGNATURES = 1000;
const MOST_STATUSES = 256;
const RENT_EPOCH = 18446744073709551615n;

// methods are the answers about a chain. trouble says how the node is not in order.
function methods(chain, trouble) {
  const at = (config) => (config?.commitment ?? "finalized") === "finalized" ? chain.final() : chain.tip();
  const context = (block) => ({ apiVersion: "2.3.0", slot: block.slot });
  const enough = (config) => {
    const block = at(config);
    if ((config?.minContextSlot ?? 0) > block.slot) throw new RPCError(-32016, "Minimum context slot has not been reached", { contextSlot: block.slot });
    return block;
  };
  const shown = (account, config) => {
    if (!account) return null;
    if (config?.encoding !== "base64") throw new RPCError(-32602, "the shim shows accounts in base64 alone");
    const data = Buffer.from(account.data());
    const slice = config.dataSlice;
    const part = slice ? data.subarray(slice.offset, slice.offset + slice.length) : data;
    return { data: [part.toString("base64"), "base64"], executable: account.executable(), lamports: account.lamports(), owner: toBase58(account.owner()),
      rentEpoch: RENT_EPOCH, space: data.length };
  };
  const read = (text, config) => {
    if (config?.encoding !== "base64") throw new RPCError(-32602, "the shim reads transactions in base64 alone");
    const raw = Buffer.from(text, "base64");
    if (raw.length > 1232) throw new RPCError(-32602, `decoded transaction too large: ${raw.length} bytes (max: 1232 bytes)`);
    try {
      return parse(raw);
    } catch (e) {
      throw new RPCError(-32602, e.message);
    }
  };
  // trial is what a transaction would do now.
  const trial = (transaction, checked) => {
    const refused = chain.refusal(transaction, chain.tip());
    if (refused && (checked || refused !== "BlockhashNotFound")) return { err: refused, logs: [], units: 0n };
    chain.vm.setSigverify(checked);
    const result = transaction.version === "legacy" ? chain.vm.simulateLegacyTransaction(transaction.raw) : chain.vm.simulateVersionedTransaction(transaction.raw);
    chain.vm.setSigverify(true);
    const meta = result.meta();
    return { err: result instanceof chain.svm.FailedTransactionMetadata ? named(result.err()) : null, logs: meta.logs(), units: meta.computeUnitsConsumed() };
  };
  const written = (t, encoding) => (encoding === "base64" ? [t.raw.toString("base64"), "base64"] : { signatures: t.signatures.map(toBase58), message: {
    accountKeys: t.keys.map(toBase58), recentBlockhash: t.blockhash, header: { numRequiredSignatures: t.header[0], numReadonlySignedAccounts: t.header[1],
      numReadonlyUnsignedAccounts: t.header[2] }, instructions: t.instructions.map((i) => ({ programIdIndex: i.program, accounts: [...i.accounts],
      data: toBase58(i.data), stackHeight: 1 })) } });
  const status = (entry) => ({ slot: entry.slot, confirmations: entry.slot <= chain.final().slot ? null : 0, err: entry.meta.err,
    status: entry.meta.err ? { Err: entry.meta.err } : { Ok: null }, confirmationStatus: entry.slot <= chain.final().slot ? "finalized" : "confirmed" });

  return {
    getGenesisHash: () => chain.genesis,
    getVersion: () => ({ "solana-core": VERSION, "feature-set": 0 }),
    getHealth: () => "ok",
    getSlot: (config) => enough(config).slot,
    getBlockHeight: (config) => enough(config).height,
    getFirstAvailableBlock: () => trouble.first ?? 0,
    getEpochInfo: (config) => {
      const block = enough(config);
      return { absoluteSlot: block.slot, blockHeight: block.height, epoch: 0, slotIndex: block.slot, slotsInEpoch: 432000, transactionCount: 0 };
    },
    getBlocks: (from, to, config) => {
      const top = enough(config).slot;
      if (to - from > 500_000) throw new RPCError(-32602, "Slot range too large; max 500000");
      return chain.blocks.filter((b) => b.slot >= Math.max(from, trouble.first ?? 0) && b.slot <= Math.min(to ?? top, top)).map((b) => b.slot);
    },
    getBlock: (slot, config) => {
      if (config?.transactionDetails !== "none") throw new RPCError(-32602, "the shim tells blocks without their transactions");
      if (slot < (trouble.first ?? 0)) throw new RPCError(-32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${trouble.first}`);
      const block = chain.blocks.find((b) => b.slot === slot);
      if (!block && slot <= at(config).slot) throw new RPCError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
      if (slot > at(config).slot) throw new RPCError(-32004, `Block not available for slot ${slot}`);
      if (slot > at(config).slot - (trouble.indexLag ?? 0)) throw new RPCError(-32014, `Block status not yet available for slot ${slot}`);
      return { blockHeight: block.height, blockTime: block.time, blockhash: block.blockhash, parentSlot: block.parent, previousBlockhash: block.previous };
    },
    getLatestBlockhash: (config) => {
      const block = enough(config);
      return { context: context(block), value: { blockhash: block.blockhash, lastValidBlockHeight: block.height + AGE } };
    },
    getAccountInfo: (key, config) => {
      const block = enough(config);
      return { context: context(block), value: shown(chain.view(address(key), block), config) };
    },
    getMultipleAccounts: (keys, config) => {
      if (keys.length > MOST_ACCOUNTS) throw new RPCError(-32602, `Too many inputs provided; max ${MOST_ACCOUNTS}`);
      const block = enough(config);
      return { context: context(block), value: keys.map((key) => shown(chain.view(address(key), block), config)) };
    },
    getSignaturesForAddress: (key, config) => {
      if (config?.commitment === "processed") throw new RPCError(-32602, "Method does not support commitment below `confirmed`");
      const top = enough(config).slot - (trouble.hideIndex ?? 0);
      const limit = config?.limit ?? MOST_SIGNATURES;
      if (limit < 1 || limit > MOST_SIGNATURES) throw new RPCError(-32602, `Invalid limit; max ${MOST_SIGNATURES}`);
      address(key);
      let all = (chain.byAddress.get(key) ?? []).slice().reverse().map((s) => chain.landed.get(s)).filter((e) => e.slot <= top && e.slot >= (trouble.first ?? 0));
      if (config?.before) all = all.slice(all.findIndex((e) => e.transaction.signature === config.before) + 1);
      const until = all.findIndex((e) => e.transaction.signature === config?.until);
      if (until >= 0) all = all.slice(0, until);
      return all.slice(0, limit).map((e) => ({ blockTime: e.time, confirmationStatus: status(e).confirmationStatus, err: e.meta.err, memo: null,
        signature: e.transaction.signature, slot: e.slot }));
    },
    getTransaction: (signature, config) => {
      const entry = chain.landed.get(signature);
      if (!entry || trouble.forgets || entry.slot > at(config).slot || entry.slot < (trouble.first ?? 0)) return null;
      if (!["base64", "json"].includes(config?.encoding)) throw new RPCError(-32602, "the shim shows transactions in base64 and json alone");
      if (entry.transaction.version !== "legacy" && config.maxSupportedTransactionVersion === undefined) {
        throw new RPCError(-32015, "Transaction version (0) is not supported by the requesting client. Please try the request again with the following configuration parameter: \"maxSupportedTransactionVersion\": 0");
      }
      const { meta, transaction } = entry;
      return { blockTime: entry.time, slot: entry.slot, version: transaction.version, transaction: written(transaction, config.encoding),
        meta: { err: meta.err, status: meta.err ? { Err: meta.err } : { Ok: null }, fee: meta.fee, preBalances: meta.pre, postBalances: meta.post,
          preTokenBalances: meta.preTokens, postTokenBalances: meta.postTokens, innerInstructions: meta.inner, logMessages: meta.logs,
          computeUnitsConsumed: meta.units, loadedAddresses: { readonly: [], writable: [] }, rewards: [] } };
    },
    getSignatureStatuses: (signatures, config) => {
      if (signatures.length > MOST_STATUSES) throw new RPCError(-32602, `Too many inputs provided; max ${MOST_STATUSES}`);
      const entry = (s) => chain.landed.get(s);
      return { context: context(chain.tip()), value: signatures.map((s) => (entry(s) && (config?.searchTransactionHistory || entry(s).slot > chain.slot - AGE) ? status(entry(s)) : null)) };
    },
    getMinimumBalanceForRentExemption: (size) => chain.vm.minimumBalanceForRentExemption(BigInt(size)),
    getRecentPrioritizationFees: () => (trouble.prices ?? []).map((prioritizationFee, i) => ({ prioritizationFee, slot: chain.slot - i })),
    getFeeForMessage: (text) => {
      const message = Buffer.from(text, "base64");
      const count = message[0] >= 0x80 ? message[1] : message[0];
      const transaction = parse(Buffer.concat([Buffer.from([count]), Buffer.alloc(64 * count), message]));
      return { context: context(chain.tip()), value: chain.age(transaction.blockhash, chain.tip()) === undefined ? null : fee(transaction) };
    },
    simulateTransaction: (text, config) => {
      const { err, logs, units } = trial(read(text, config), config.sigVerify ?? false);
      return { context: context(chain.tip()), value: { accounts: null, err, logs, unitsConsumed: units, returnData: null, innerInstructions: null, replacementBlockhash: null } };
    },
    sendTransaction: (text, config) => {
      const transaction = read(text, config);
      if (!config.skipPreflight) {
        const { err, logs, units } = trial(transaction, true);
        if (err === "SignatureFailure") throw new RPCError(-32003, "Transaction signature verification failure");
        if (err) {
          throw new RPCError(-32002, `Transaction simulation failed: ${inWords(err)}`, { accounts: null, err, innerInstructions: null, logs, replacementBlockhash: null,
            returnData: null, unitsConsumed: units });
        }
      }
      if (trouble.swallow > 0) trouble.swallow--;
      else if (!chain.landed.has(transaction.signature) && !chain.pending.some((t) => t.signature === transaction.signature)) chain.pending.push(transaction);
      return transaction.signature;
    },
  };
}

module.exports = { methods, VERSION };
