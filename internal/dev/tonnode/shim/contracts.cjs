// Contracts by the code that is really deployed: the jetton's master and wallet, as tonweb has it.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

// codes reads the code of contracts out of tonweb's sources.
function codes(core, dir) {
  const text = (name) => fs.readFileSync(path.join(dir, "tonweb", "src", "contract", "token", "ft", name), "utf8");
  const code = (name) => core.Cell.fromBoc(Buffer.from(/'(B5EE9C72[0-9A-F]+)'/.exec(text(name))[1], "hex"))[0];
  return { master: code("JettonMinter.js"), wallet: code("JettonWallet.js") };
}

// masterInit is the first state of a jetton's master. Its name makes its address.
function masterInit(core, { master, wallet }, admin, name) {
  const content = core.beginCell().storeUint(1, 8).storeStringTail(name).endCell();
  return { code: master, data: core.beginCell().storeCoins(0).storeAddress(admin).storeRef(content).storeRef(wallet).endCell() };
}

// mintBody has the master send units to an owner's wallet, as if another owner had sent them.
function mintBody(core, { owner, from, units, attach, forward, payload, response }) {
  const sent = core.beginCell().storeUint(0x178d4519, 32).storeUint(0, 64).storeCoins(units).storeAddress(from).storeAddress(response ?? null)
    .storeCoins(forward).storeSlice(payload.beginParse()).endCell();
  return core.beginCell().storeUint(21, 32).storeUint(0, 64).storeAddress(owner).storeCoins(attach).storeRef(sent).endCell();
}

// payloadOf is the forward payload of a comment: none, in place, or in a cell of its own.
function payloadOf(core, comment, inline) {
  const b = core.beginCell();
  if (comment === undefined || comment === "") return b.storeBit(0).endCell();
  const text = commentOf(core, comment);
  return (inline ? b.storeBit(0).storeSlice(text.beginParse()) : b.storeBit(1).storeRef(text)).endCell();
}

// commentOf is a comment as wallets write it, in as many cells as it needs.
function commentOf(core, comment) {
  return core.beginCell().storeUint(0, 32).storeStringTail(comment).endCell();
}

module.exports = { codes, masterInit, mintBody, payloadOf, commentOf };
