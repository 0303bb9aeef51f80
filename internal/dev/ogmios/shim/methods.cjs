// The methods of Ogmios that a connector asks.
"use strict";
const { Refusal } = require("./refusal.cjs");
const { output, reference } = require("./told.cjs");

const ada = (lovelace) => ({ ada: { lovelace: Number(lovelace) } });

// utxo lists outputs by their references, or by addresses.
function utxo(outputs, { outputReferences, addresses }) {
  if (!outputReferences && !addresses) throw new Refusal(-32602, "the shim does not tell all outputs");
  const wanted = outputReferences && new Set(outputReferences.map((r) => `${r.transaction.id}#${r.index}`));
  return [...outputs].filter(([name, o]) => (wanted ? wanted.has(name) : addresses.includes(o.address().toBech32())))
    .map(([name, o]) => ({ ...reference(name), ...output(o) }));
}

const methods = {
  async findIntersection(session, { points = ["origin"] }) {
    for (const p of points) {
      const block = p === "origin" ? null : session.chain.block(p);
      if (p !== "origin" && (!block || block.height > (session.tip().height ?? 0))) continue;
      session.at(block);
      session.back = true;
      return { intersection: session.cursor.point, tip: session.tip() };
    }
    throw new Refusal(1000, "No intersection found.", { tip: session.tip() });
  },

  async acquireLedgerState(session, { point }) {
    const outputs = session.chain.at(point);
    if (!outputs || session.chain.trouble.forgetful) throw new Refusal(2000, "Failed to acquire requested point.", "Target point is too old.");
    session.acquired = outputs;
    return { acquired: "ledgerState", point };
  },

  async releaseLedgerState(session) {
    session.acquired = null;
    return { released: "ledgerState" };
  },

  async "queryLedgerState/utxo"(session, params) { return utxo(session.acquired ?? session.chain.outputs, params); },

  async "queryLedgerState/tip"(session) {
    const tip = session.tip();
    return tip === "origin" ? tip : { slot: tip.slot, id: tip.id };
  },

  async "queryLedgerState/protocolParameters"(session) {
    const p = { ...session.chain.ledger.params, ...session.chain.trouble.params };
    return { minFeeCoefficient: p.minFeeCoefficient, minFeeConstant: ada(p.minFeeConstant), minUtxoDepositCoefficient: p.coinsPerUtxoByte,
      minUtxoDepositConstant: ada(0), maxTransactionSize: { bytes: p.maxTxSize }, maxValueSize: { bytes: p.maxValueSize }, version: { major: 10, minor: 0 } };
  },

  async "queryLedgerState/eraSummaries"() {
    return [{ start: { time: { seconds: 0 }, slot: 0, epoch: 0 }, end: { time: { seconds: 432000 * 1000 }, slot: 432000 * 1000, epoch: 1000 },
      parameters: { epochLength: 432000, slotLength: { milliseconds: 1000 }, safeZone: 129600 } }];
  },

  async "queryNetwork/startTime"(session) { return new Date(session.chain.begin * 1000).toISOString().replace(".000Z", "Z"); },

  async "queryNetwork/genesisConfiguration"(session, { era }) {
    if (era !== "shelley") throw new Refusal(-32602, "the shim knows the genesis of Shelley alone");
    return { era, startTime: await methods["queryNetwork/startTime"](session), networkMagic: session.chain.magic, network: "mainnet", securityParameter: 2160,
      says: "a shim around @blaze-cardano/emulator, and no node" };
  },

  async submitTransaction(session, { transaction }) {
    const { chain } = session;
    if (chain.trouble.refuse) throw new Refusal(chain.trouble.refuse.code, chain.trouble.refuse.message, chain.trouble.refuse.data);
    const tx = chain.ledger.read(transaction.cbor);
    if (chain.trouble.swallow > 0) {
      chain.trouble.swallow--;
      return { transaction: { id: tx.getId() } };
    }
    return { transaction: { id: await chain.submit(tx) } };
  },

  async acquireMempool(session) {
    if (session.pool) throw new Refusal(-32603, "the shim: the mempool is acquired, and a node would wait for a change of it");
    session.pool = new Set(session.chain.pool.map((t) => t.id));
    return { acquired: "mempool", slot: session.tip().slot ?? 0 };
  },

  async releaseMempool(session) {
    session.pool = null;
    return { released: "mempool" };
  },

  async hasTransaction(session, { id }) {
    if (!session.pool) throw new Refusal(4000, "There's no acquired mempool.");
    return session.pool.has(id);
  },
};

module.exports = { methods };
