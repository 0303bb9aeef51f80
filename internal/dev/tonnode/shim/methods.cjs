// The calls of toncenter's API of version 2 that are answered, in its shapes.
"use strict";
const { NOBODY } = require("./chain.cjs");

const MASTERCHAIN = -1;
const SHARD = "-9223372036854775808";
const MOST = 100; // transactions in an answer

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}


function blockId(b) {
  return { "@type": "ton.blockIdExt", workchain: MASTERCHAIN, shard: b.seqno === 0 ? "0" : SHARD, seqno: b.seqno, root_hash: b.root, file_hash: b.file };
}

function at(chain, seqno) {
  const tip = chain.visible();
  if (seqno === undefined || seqno === null) return tip;
  const b = chain.blocks[seqno];
  if (!Number.isInteger(seqno) || !b || b.seqno > tip.seqno) throw new Refusal(500, "LITE_SERVER_NOTREADY: ltdb: block not found");
  return b;
}

function masterchain({ workchain, shard, seqno }) {
  if (workchain !== MASTERCHAIN || String(shard) !== SHARD || !Number.isInteger(seqno)) throw new Refusal(422, "the shim has blocks of the masterchain alone");
}

function address(core, text) {
  try {
    return core.Address.parse(text);
  } catch {
    throw new Refusal(422, "Incorrect address");
  }
}

const methods = {
  getMasterchainInfo(chain) {
    return { "@type": "blocks.masterchainInfo", last: blockId(chain.visible()), state_root_hash: chain.hash("state"), init: blockId(chain.blocks[0]),
      "@extra": "a shim around @ton/sandbox, no node" };
  },

  lookupBlock(chain, params) {
    masterchain(params);
    return blockId(at(chain, params.seqno));
  },

  getBlockHeader(chain, params) {
    masterchain(params);
    const b = at(chain, params.seqno);
    if (b.seqno === 0) throw new Refusal(500, "LITE_SERVER_NOTREADY: block 0 has no header");
    return { "@type": "blocks.header", id: blockId(b), global_id: -239, version: 0, after_merge: false, after_split: false, before_split: false, want_merge: true,
      want_split: false, is_key_block: false, gen_utime: b.time, start_lt: String(b.lt), end_lt: String(b.lt), prev_blocks: [blockId(chain.blocks[b.seqno - 1])] };
  },

  getAddressInformation(chain, params) {
    const b = at(chain, chain.trouble.forgetful ? undefined : params.seqno);
    const now = chain.state(address(chain.core, params.address).toRawString(), b.seqno);
    const account = now?.shard.account;
    const state = account?.storage.state;
    const bytes = (cell) => cell?.toBoc().toString("base64") ?? "";
    return { "@type": "raw.fullAccountState", balance: String(account?.storage.balance.coins ?? 0),
      code: state?.type === "active" ? bytes(state.state.code) : "", data: state?.type === "active" ? bytes(state.state.data) : "",
      last_transaction_id: { "@type": "internal.transactionId", lt: String(now?.lt ?? 0), hash: now?.hash?.toString("base64") ?? NOBODY },
      block_id: blockId(b), frozen_hash: "", sync_utime: b.time,
      state: { active: "active", frozen: "frozen" }[state?.type] ?? "uninitialized" };
  },

  getTransactions(chain, params) {
    const raw = address(chain.core, params.address).toRawString();
    const all = chain.at(raw).transactions.filter((t) => t.seqno <= chain.visible().seqno);
    let last = all.length - 1;
    if (params.lt !== undefined && params.lt !== null) {
      last = all.findIndex((t) => String(t.lt) === String(params.lt) && sameHash(t.hash, params.hash));
      if (last < 0) throw new Refusal(500, "LITE_SERVER_UNKNOWN: cannot locate transaction in block with specified logical time");
    }
    const out = [];
    for (let i = last; i >= 0 && out.length < Math.min(params.limit ?? 10, MOST) && all[i].lt > BigInt(params.to_lt ?? 0); i--) out.push(all[i]);
    const { hide = 0 } = chain.trouble;
    return out.filter((_, i) => i + 1 !== hide).map(transaction);
  },

  // tryLocateTx looks where the API does: in the blocks of three logical times.
  tryLocateTx(chain, params) {
    const from = address(chain.core, params.source);
    const near = [0n, 1n, 2n].map((step) => chain.blocks.find((b) => b.lt >= BigInt(params.created_lt) + step * 1000000n)?.seqno);
    const found = chain.at(address(chain.core, params.destination).toRawString()).transactions.find((t) => {
      const info = chain.core.loadTransaction(t.cell.beginParse()).inMessage?.info;
      return near.includes(t.seqno) && t.seqno <= chain.visible().seqno && info?.type === "internal" && info.src.equals(from) && String(info.createdLt) === String(params.created_lt);
    });
    if (!found) throw new Refusal(500, "cannot find tx: message not found");
    return transaction(found);
  },

  async runGetMethod(chain, params) {
    const { core } = chain;
    const b = at(chain, params.seqno);
    const where = address(core, params.address);
    const now = chain.state(where.toRawString(), b.seqno);
    const result = { "@type": "smc.runResult", gas_used: 0, stack: [], exit_code: -13, block_id: blockId(b) };
    if (now?.shard.account?.storage.state.type !== "active") return result;
    const contract = await chain.vm.getContract(where);
    const kept = contract.snapshot();
    try {
      contract.account = now.shard;
      const stack = (params.stack ?? []).map(([kind, value]) => {
        if (kind === "num") return { type: "int", value: BigInt(value) };
        if (kind === "tvm.Slice") return { type: "slice", cell: core.Cell.fromBase64(value) };
        throw new Refusal(422, `an argument of the kind ${kind}`);
      });
      const answer = await contract.get(params.method, stack, { now: b.time });
      return { ...result, exit_code: 0, gas_used: Number(answer.gasUsed), stack: answer.stack.map(told) };
    } catch (err) {
      if (err.exitCode === undefined) throw err;
      return { ...result, exit_code: err.exitCode };
    } finally {
      contract.loadFrom(kept);
    }
  },

  async sendBocReturnHash(chain, params) {
    let hash;
    try {
      hash = await chain.offer(Buffer.from(params.boc, "base64"));
    } catch (err) {
      const code = err.exitCode === undefined ? "" : `: exitcode=${err.exitCode}, steps=0, gas_used=0`;
      throw new Refusal(500, `LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted${code || ": " + err.message}`);
    }
    if (chain.trouble.swallow > 0) {
      chain.trouble.swallow--;
      chain.external.pop();
    }
    if (chain.trouble.mute > 0) {
      chain.trouble.mute--;
      throw new Refusal(504, "timeout");
    }
    return { "@type": "raw.extMessageInfo", hash };
  },
};

function transaction(t) {
  return { "@type": "raw.transaction", utime: t.time, data: t.cell.toBoc().toString("base64"),
    transaction_id: { "@type": "internal.transactionId", lt: String(t.lt), hash: t.hash.toString("base64") } };
}

function sameHash(hash, told) {
  return told === undefined || [hash.toString("base64"), hash.toString("hex")].includes(String(told).replaceAll("-", "+").replaceAll("_", "/"));
}

function told(item) {
  switch (item.type) {
    case "int": return ["num", (item.value < 0n ? "-0x" : "0x") + (item.value < 0n ? -item.value : item.value).toString(16)];
    case "cell": case "slice": return ["cell", { bytes: item.cell.toBoc().toString("base64") }];
    default: return [item.type, null];
  }
}

module.exports = { methods, Refusal };
