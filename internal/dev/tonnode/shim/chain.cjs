// The chain around the virtual machine: blocks of the masterchain, the queue of messages, the state of accounts at each block. Transactions
// are the machine's own (@ton/sandbox); all of this is not, and there are no validators, shards or proofs.
"use strict";
const crypto = require("node:crypto");

const SECONDS = 5; // between two blocks
const NOBODY = "A".repeat(43) + "=";

class Chain {
  constructor(core, vm, options) {
    Object.assign(this, { core, vm, name: options.name ?? "shim", slow: options.slow ?? false });
    this.time = options.begin ?? Math.floor(Date.now() / 1000);
    this.accounts = new Map(); // raw address -> {history, transactions}
    this.blocks = [];
    this.external = []; // signed messages that wait for a block
    this.internal = []; // messages on their way to another account
    this.hold = false;
    this.jam = false;
    this.zero = this.hash("zero state");
    this.block(); // block 0 is the state that all begins with
  }

  hash(text) { return crypto.createHash("sha256").update(`${this.name} ${text}`).digest("base64"); }

  tip() { return this.blocks[this.blocks.length - 1]; }

  block() {
    const seqno = this.blocks.length;
    this.vm.increaseLt(); // no block has the logical time of another
    const root = seqno === 0 ? this.zero : this.hash(`root ${seqno} ${this.tip().root}`);
    this.blocks.push({ seqno, root, file: this.hash(`file ${seqno}`), time: this.time, lt: this.vm.lt });
    this.time += SECONDS;
  }

  // mine makes the next block: signed messages first, and then what is on its way. A slow chain has one hop in a block, as where accounts are in
  // several shards.
  async mine() {
    const external = this.hold ? [] : this.external;
    if (!this.hold) this.external = [];
    const seqno = this.blocks.length;
    const jammed = this.jam ? this.internal : [];
    const arriving = this.jam ? [] : this.internal;
    this.internal = [];
    for (const { message } of external) await this.run(message, seqno).catch(() => undefined); // its time may be over by now
    for (const message of arriving) await this.run(message, seqno);
    while (!this.slow && !this.jam && this.internal.length > 0) await this.run(this.internal.shift(), seqno);
    this.internal.unshift(...jammed);
    this.forget(seqno);
    this.block();
  }

  // forget takes accounts that are gone out of the state at the end of a block, with their last transactions, as a node does: one without code is
  // gone when it has no coins left. What comes later begins anew.
  forget(seqno) {
    for (const account of this.accounts.values()) {
      const last = account.history.at(-1);
      if (!last || last.seqno !== seqno || last.shard.account) continue;
      Object.assign(last, { lt: 0n, hash: undefined });
      account.contract.account = { ...last.shard, lastTransactionLt: 0n, lastTransactionHash: 0n };
    }
  }

  // run has an account receive a message in a block.
  async run(message, seqno) {
    const address = message.info.dest;
    const contract = await this.vm.getContract(address);
    this.vm.increaseLt();
    const done = await contract.receiveMessage(message, { now: this.time });
    const account = this.at(address.toRawString(), true);
    account.contract = contract;
    account.transactions.push({ lt: done.lt, hash: done.hash(), previous: done.prevTransactionLt, cell: done.raw, time: done.now, seqno });
    account.history.push({ seqno, shard: contract.account, lt: done.lt, hash: done.hash() });
    for (const out of done.outMessages.values()) {
      if (out.info.type === "internal") this.internal.push(out);
    }
    return done;
  }

  at(raw, make = false) {
    let account = this.accounts.get(raw);
    if (!account) {
      account = { history: [], transactions: [] };
      if (make) this.accounts.set(raw, account);
    }
    return account;
  }

  // state is an account after a block.
  state(raw, seqno) {
    const history = this.at(raw).history;
    for (let i = history.length - 1; i >= 0; i--) {
      if (history[i].seqno <= seqno) return history[i];
    }
    return undefined;
  }

  // offer takes a signed message for the next block, as a node does: it is tried on the newest state first.
  async offer(boc) {
    const cell = this.core.Cell.fromBoc(boc)[0];
    const message = this.core.loadMessage(cell.beginParse());
    if (message.info.type !== "external-in") throw new Error("failed to parse external message");
    const hash = cell.hash().toString("base64");
    if (this.external.some((e) => e.hash === hash)) return hash;
    const contract = await this.vm.getContract(message.info.dest);
    const before = contract.snapshot();
    try {
      await contract.receiveMessage(message, { now: this.time });
    } finally {
      contract.loadFrom(before);
    }
    this.external.push({ message, hash });
    return hash;
  }

  // send puts a message on its way from an account whose own transaction nobody sees: the faucet's, or a stranger's. Flags are where the library
  // still knows a fee.
  send(from, to, value, { body, bounce = false, init, flags = 0 } = {}) {
    this.vm.increaseLt();
    const message = { info: { type: "internal", ihrDisabled: true, bounce, bounced: false, src: from, dest: to, value: { coins: value }, ihrFee: BigInt(flags), forwardFee: 0n,
      createdLt: this.vm.lt, createdAt: this.time }, init, body: body ?? this.core.beginCell().endCell() };
    this.internal.push(message);
  }

  // settle has what is on its way arrive in the next block already, and returns the hash of the newest transaction of an account. A slow chain
  // does not.
  async settle(raw) {
    if (this.slow) return null;
    while (this.internal.length > 0) await this.run(this.internal.shift(), this.blocks.length);
    return this.at(raw).transactions.at(-1)?.hash.toString("hex") ?? null;
  }
}

module.exports = { Chain, NOBODY };
