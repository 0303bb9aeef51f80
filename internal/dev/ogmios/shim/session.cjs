// One connection of Ogmios: where its reader is in the chain, and the state that it has acquired.
"use strict";
const { Refusal } = require("./refusal.cjs");
const { methods } = require("./methods.cjs");
const { told } = require("./told.cjs");

class Session {
  constructor(chain, send, cut) {
    Object.assign(this, { chain, send, cut });
    this.cursor = { height: 0, point: "origin" }; // the last block told
    this.back = true; // the next answer goes back to the cursor
    this.waiting = []; // questions for a next block that is not there yet
    this.acquired = null; // outputs of a past block
    this.pool = null;
  }

  async asked(text) {
    let call;
    try {
      call = JSON.parse(text);
    } catch {
      return this.answer({ method: null }, { error: { code: -32700, message: "not JSON" } });
    }
    const { trouble } = this.chain;
    if (trouble.down) return this.cut();
    const replaced = trouble.answer?.[call.method];
    if (replaced !== undefined) return this.answer(call, replaced);
    if (call.method === "nextBlock") return this.next(call);
    const method = methods[call.method];
    if (!method) return this.answer(call, { error: { code: -32601, message: `the shim does not know ${call.method}` } });
    let body;
    try {
      body = { result: await method(this, call.params ?? {}) };
    } catch (err) {
      if (!(err instanceof Refusal)) console.error(err);
      body = { error: { code: err.code ?? -32603, message: err.message, data: err.data } };
    }
    if (call.method === "submitTransaction" && trouble.mute > 0) {
      trouble.mute--;
      return this.cut();
    }
    return this.answer(call, body);
  }

  answer(call, body) {
    this.send(JSON.stringify({ jsonrpc: "2.0", method: call.method, ...body, id: call.id ?? null }, (_, v) => (typeof v === "bigint" ? Number(v) : v)));
  }

  tip() {
    const top = this.chain.blocks.at(-1 - (this.chain.trouble.behind ?? 0));
    return top ? { slot: top.slot, id: top.id, height: top.height } : "origin";
  }

  // next answers with the block after the cursor, or once there is one.
  next(call) {
    const { blocks } = this.chain;
    const there = this.cursor.height === 0 || blocks[this.cursor.height - 1]?.id === this.cursor.point.id;
    if (!there) {
      while (this.cursor.height > 0 && blocks[this.cursor.height - 1]?.id !== this.path[this.cursor.height]) this.cursor.height--;
      const at = blocks[this.cursor.height - 1];
      this.cursor.point = at ? { slot: at.slot, id: at.id } : "origin";
      this.back = true;
    }
    if (this.back) {
      this.back = false;
      return this.answer(call, { result: { direction: "backward", point: this.cursor.point, tip: this.tip() } });
    }
    const block = blocks[this.cursor.height];
    if (!block || block.height > (this.tip().height ?? 0)) return this.waiting.push(call);
    this.at(block);
    return this.answer(call, { result: { direction: "forward", block: told(block), tip: this.tip() } });
  }

  // at moves the cursor to a block.
  at(block) {
    this.cursor = { height: block?.height ?? 0, point: block ? { slot: block.slot, id: block.id } : "origin" };
    this.path = this.chain.blocks.slice(0, this.cursor.height).reduce((all, b) => { all[b.height] = b.id; return all; }, {});
  }

  // grown answers questions that wait for a block.
  grown() {
    const calls = this.waiting;
    this.waiting = [];
    for (const call of calls) this.next(call);
  }
}

module.exports = { Session };
