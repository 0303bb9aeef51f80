// Blocks, transactions and outputs in the words of Ogmios.
"use strict";

function output(o) {
  const value = { ada: { lovelace: o.amount().coin() } };
  for (const [asset, quantity] of o.amount().multiasset() ?? []) {
    value[asset.slice(0, 56)] = { ...value[asset.slice(0, 56)], [asset.slice(56)]: quantity };
  }
  return { address: o.address().toBech32(), value };
}

const reference = (name) => ({ transaction: { id: name.split("#")[0] }, index: Number(name.split("#")[1]) });

function transaction(t) {
  if (t.words) return t.words;
  const body = t.tx.body();
  return { id: t.id, spends: "inputs", inputs: t.spends.map(reference), outputs: body.outputs().map(output), fee: { ada: { lovelace: body.fee() } },
    validityInterval: body.ttl() === undefined ? {} : { invalidAfter: Number(body.ttl()) },
    signatories: t.tx.witnessSet().vkeys().values().map((w) => ({ key: w.vkey(), signature: w.signature() })) };
}

function told(b) {
  return { type: "praos", era: "conway", id: b.id, ancestor: b.ancestor, height: b.height, slot: b.slot, size: { bytes: 1000 },
    protocol: { version: { major: 10, minor: 0 } }, issuer: { verificationKey: "00".repeat(32) }, transactions: b.entries.map(transaction) };
}

module.exports = { told, output, reference };
