// The chain around the runtime: slots, blocks, the age of blockhashes, finality, forks and the mempool. The runtime is real (litesvm); all of
// this is not, and there is no vote, no leader and no peer.
"use strict";
const crypto = require("node:crypto");
const { address, toBase58, keyOf } = require("./wire.cjs");
const { named } = require("./errors.cjs");
const { tokenBalances } = require("./tokens.cjs");

const AGE = 150; // how old the blockhash of a transaction may be, in blocks
const SLOT_MS = 400;
const SIGNATURE_FEE = 5000n;
const RICH = 4_000_000_000_000_000n; // lamports of the faucet

class Chain {
  constructor(svm, options) {
    Object.assign(this, { svm, lag: options.lag ?? 32, begin: options.begin ?? Date.now(), name: options.name ?? "shim" });
    this.vm = new svm.LiteSvm();
    this.vm.setBlockhashCheck(false);
    this.vm.setTransactionHistory(0n);
    this.forks = 0;
    this.blocks = []; // those of present slots, in order
    this.landed = new Map(); // signature -> transaction in a block
    this.byAddress = new Map(); // address -> signatures, the oldest first
    this.pending = [];
    this.hold = false;
    this.stalled = null; // the slot that stays the final one
    this.faucet = keyOf("faucet");
    this.set(this.faucet.open, RICH, Buffer.alloc(0), Buffer.alloc(32));
    this.slot = -1;
    this.produce();
    this.genesis = this.tip().blockhash;
  }

  tip() { return this.blocks[this.blocks.length - 1]; }

  // set puts an account into the state, as if it had always been there.
  set(key, lamports, data, owner) { this.vm.setAccount(key, new this.svm.Account(lamports, data, owner, false, 0n)); }

  // produce makes the block of the next slot, with what waits.
  produce() {
    this.slot++;
    const parent = this.tip();
    const block = { slot: this.slot, height: parent ? parent.height + 1 : 0, parent: parent?.slot ?? 0, previous: parent?.blockhash ?? toBase58(Buffer.alloc(32)),
      time: Math.floor((this.begin + this.slot * SLOT_MS) / 1000), transactions: [], undo: new Map() };
    block.blockhash = toBase58(crypto.createHash("sha256").update(`${this.name} ${block.slot} ${block.previous} ${this.forks}`).digest());
    this.blocks.push(block);
    if (this.slot > 0) this.vm.warpToSlot(BigInt(this.slot));
    if (this.hold) return;
    const waiting = this.pending;
    this.pending = [];
    for (const transaction of waiting) this.include(block, transaction);
  }

  // skip lets slots pass without a block.
  skip(slots) { this.slot += slots; }

  // age is how many blocks came after a blockhash, up to a block. Undefined for a hash of none.
  age(blockhash, block) {
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      const b = this.blocks[i];
      if (b.height > block.height) continue;
      if (b.blockhash === blockhash) return block.height - b.height;
      if (block.height - b.height > AGE) return undefined;
    }
    return undefined;
  }

  // refusal is why a transaction cannot come after a block; nothing if it can.
  refusal(transaction, block) {
    if (this.landed.has(transaction.signature)) return "AlreadyProcessed";
    const age = this.age(transaction.blockhash, block);
    return age === undefined || age > AGE ? "BlockhashNotFound" : undefined;
  }

  execute(transaction) {
    return transaction.version === "legacy" ? this.vm.sendLegacyTransaction(transaction.raw) : this.vm.sendVersionedTransaction(transaction.raw);
  }

  // include runs a transaction in a block. One whose fee cannot be taken comes into none.
  include(block, transaction) {
    const parent = this.blocks[this.blocks.length - 2] ?? block;
    if (this.refusal(transaction, parent)) return;
    const look = () => transaction.keys.map((key) => this.vm.getAccount(key));
    const before = look();
    const tokensBefore = tokenBalances(this.vm, transaction.keys, before);
    const result = this.execute(transaction);
    const failed = result instanceof this.svm.FailedTransactionMetadata;
    const after = look();
    const balance = (account) => account?.lamports() ?? 0n;
    if (failed && balance(before[0]) === balance(after[0])) return;
    transaction.keys.forEach((key, i) => {
      const name = toBase58(key);
      if (!block.undo.has(name)) block.undo.set(name, before[i]);
    });
    const meta = failed ? result.meta() : result;
    this.record(block, transaction, {
      err: failed ? named(result.err()) : null, fee: fee(transaction), pre: before.map(balance), post: after.map(balance),
      preTokens: tokensBefore, postTokens: tokenBalances(this.vm, transaction.keys, after), logs: meta.logs(), units: meta.computeUnitsConsumed(),
      inner: meta.innerInstructions().map((list, index) => ({ index, instructions: list.map((i) => ({ programIdIndex: i.instruction().programIdIndex(),
        accounts: [...i.instruction().accounts()], data: toBase58(i.instruction().data()), stackHeight: i.stackHeight() })) }))
        .filter((i) => i.instructions.length > 0),
    });
  }

  record(block, transaction, meta) {
    const entry = { transaction, meta, slot: block.slot, time: block.time };
    block.transactions.push(entry);
    this.landed.set(transaction.signature, entry);
    for (const key of new Set(transaction.keys.map(toBase58))) {
      if (!this.byAddress.has(key)) this.byAddress.set(key, []);
      this.byAddress.get(key).push(transaction.signature);
    }
  }

  // final is the newest final block.
  final() {
    const top = Math.min(this.slot - this.lag, this.stalled ?? Infinity);
    for (let i = this.blocks.length - 1; i > 0; i--) if (this.blocks[i].slot <= top) return this.blocks[i];
    return this.blocks[0];
  }

  // view is an account as of a block.
  view(key, block) {
    const name = toBase58(key);
    for (const b of this.blocks.slice(this.blocks.indexOf(block) + 1)) if (b.undo.has(name)) return b.undo.get(name);
    return this.vm.getAccount(key);
  }

  // fork replaces the blocks of the newest slots by one more, with the same transactions but for those dropped. Nothing final goes.
  fork(slots, drop) {
    const keep = this.slot - slots;
    if (keep < this.final().slot) throw new Error("no fork goes below a final block");
    const again = [];
    while (this.tip().slot > keep) {
      const block = this.blocks.pop();
      for (const [name, account] of block.undo) this.restore(name, account);
      for (const { transaction } of block.transactions.slice().reverse()) again.unshift(this.forget(transaction));
    }
    this.forks++;
    this.pending = [...again, ...this.pending].filter((t) => !drop.includes(t.signature));
    this.slot = keep;
    for (let i = 0; i <= slots; i++) this.produce();
  }

  restore(name, account) {
    const key = address(name);
    if (account) this.vm.setAccount(key, account);
    else this.set(key, 0n, Buffer.alloc(0), Buffer.alloc(32));
  }

  forget(transaction) {
    this.landed.delete(transaction.signature);
    for (const key of transaction.keys) {
      const list = this.byAddress.get(toBase58(key));
      const at = list.indexOf(transaction.signature);
      if (at >= 0) list.splice(at, 1);
    }
    return transaction;
  }
}

// fee is what a transaction pays: for its signatures, and the price of its compute units.
function fee(transaction) {
  let price = 0n;
  let limit;
  let others = 0n;
  for (const i of transaction.instructions) {
    if (toBase58(transaction.keys[i.program]) !== "ComputeBudget111111111111111111111111111111") others++;
    else if (i.data[0] === 2) limit = BigInt(i.data.readUInt32LE(1));
    else if (i.data[0] === 3) price = i.data.readBigUInt64LE(1);
  }
  limit ??= others * 200_000n;
  if (limit > 1_400_000n) limit = 1_400_000n;
  return BigInt(transaction.signatures.length) * SIGNATURE_FEE + (price * limit + 999_999n) / 1_000_000n;
}

module.exports = { Chain, AGE, SLOT_MS, fee };
