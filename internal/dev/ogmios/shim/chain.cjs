// Blocks, and the mempool before them. Both are the shim's own.
"use strict";
const crypto = require("node:crypto");
const { Refusal } = require("./refusal.cjs");

const slotsApart = 20;
const origin = "5f20df933584822601f9e3f8c024eb5eb252fe8cefb24d1317dc3d432e940ebb"; // Byron's genesis, as blocks name it

class Chain {
  constructor(core, ledger, options) {
    this.core = core;
    this.ledger = ledger;
    this.magic = options.magic ?? 42;
    this.begin = Math.floor(Date.now() / 1000) - 10_000;
    this.outputs = new Map(); // those there are at the tip
    this.blocks = []; // the first one has height 1
    this.pool = [];
    this.sessions = new Set();
    this.trouble = {};
    this.made = 0; // so that no block is made twice
    this.fauceted = 0;
  }

  get tip() { return this.blocks.at(-1); }

  // block is the one at a point, if it is in the chain.
  block({ slot, id }) { return this.blocks.find((b) => b.id === id && b.slot === slot); }

  // mine adds blocks; the first takes the mempool. By the clock, a block is of this second.
  async mine(count, byClock = false) {
    for (let i = 0; i < count; i++) {
      const slot = Math.max((this.tip?.slot ?? 0) + (byClock ? 1 : slotsApart), byClock ? Math.floor(Date.now() / 1000) - this.begin : 0);
      const taken = this.trouble.hold ? [] : this.pool.filter((t) => slot < t.ttl);
      if (!this.trouble.hold) this.pool = [];
      this.add(slot, taken);
    }
    await this.refill();
    for (const s of this.sessions) s.grown();
  }

  add(slot, entries) {
    const height = this.blocks.length + 1;
    const ancestor = this.tip?.id ?? origin;
    const id = crypto.createHash("blake2b512").update(`${ancestor} ${height} ${slot} ${++this.made} ${entries.map((t) => t.id)}`).digest("hex").slice(0, 64);
    const spent = entries.map((t) => this.ledger.carry(this.outputs, t));
    this.blocks.push({ height, slot, id, ancestor, entries, spent });
  }

  // back takes the newest blocks away. Their transactions are in the mempool again, but for those in drop.
  async back(depth, drop) {
    const gone = this.blocks.splice(Math.max(0, this.blocks.length - depth));
    for (const b of gone.slice().reverse()) {
      b.entries.slice().reverse().forEach((t, i) => {
        for (const [name] of t.makes) this.outputs.delete(name);
        for (const [name, output] of b.spent[b.entries.length - 1 - i]) this.outputs.set(name, output);
      });
    }
    this.pool = [...gone.flatMap((b) => b.entries.filter((t) => t.tx)), ...this.pool].filter((t) => !drop.includes(t.id));
    await this.refill();
  }

  // at returns the outputs there were after a block, undefined for a block that is not in the chain.
  at(point) {
    const block = this.block(point);
    if (!block) return undefined;
    const outputs = new Map(this.outputs);
    for (const b of this.blocks.slice(block.height).reverse()) {
      b.entries.slice().reverse().forEach((t, i) => {
        for (const [name] of t.makes) outputs.delete(name);
        for (const [name, output] of b.spent[b.entries.length - 1 - i]) outputs.set(name, output);
      });
    }
    return outputs;
  }

  // refill judges the mempool again on the outputs there are now, as a node does after each block.
  async refill() {
    const waiting = this.pool;
    this.pool = [];
    this.ledger.reset(this.outputs);
    for (const t of waiting) await this.submit(t.tx).catch(() => {});
  }

  // submit takes a transaction into the mempool, or throws a Refusal.
  async submit(tx) {
    await this.ledger.judge(tx, (this.tip?.slot ?? 0) + 1);
    const entry = this.ledger.entry(tx);
    this.ledger.apply(entry);
    this.pool.push(entry);
    return entry.id;
  }

  // faucet makes an output from nothing, as no chain does, for a transaction of a stranger to spend.
  faucet(output) {
    const name = `${crypto.createHash("sha256").update(`faucet ${this.magic} ${++this.fauceted}`).digest("hex")}#0`;
    this.outputs.set(name, output);
    this.ledger.emulator.addUtxo(new this.core.TransactionUnspentOutput(this.ledger.input(name), output));
    return name;
  }
}

module.exports = { Chain, Refusal };
