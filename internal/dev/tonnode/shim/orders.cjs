// Orders of tests, which no node has.
"use strict";
const { masterInit, mintBody, payloadOf, commentOf } = require("./contracts.cjs");

// stranger is an account without a past, by its name.
function stranger(core, name) {
  return new core.Address(0, require("node:crypto").createHash("sha256").update(`stranger ${name}`).digest());
}

// SPOILT is code of wallets that refuse what comes, and of those that take it in vain: they order what cannot be sent.
const SPOILT = { refuses: "ff00f221", vain: "ff00c8c970fb00" };

const orders = {
  async dev_mine(chain, [blocks]) {
    for (let i = 0; i < blocks; i++) await chain.mine();
    return chain.tip().seqno;
  },
  dev_pass(chain, [seconds]) { chain.time += seconds; return null; },
  dev_hold(chain, [on]) { chain.hold = on; return null; },
  dev_slow(chain, [on]) { chain.slow = on; return null; },
  dev_jam(chain, [on]) { chain.jam = on; return null; },
  dev_drop(chain) { chain.external = []; return null; },
  dev_waiting(chain) { return chain.external.map((e) => e.hash); },
  dev_trouble(chain, [trouble]) { Object.assign(chain.trouble, trouble); return null; },
  dev_stranger(chain, [name]) { return stranger(chain.core, name).toRawString(); },

  // dev_send sends coins from a stranger's account, with a comment or any body.
  async dev_send(chain, [{ from = "faucet", to, units, comment, body, bounce = false, flags = 0 }]) {
    const { core } = chain;
    let cell;
    if (body) cell = core.Cell.fromBase64(body);
    else if (comment !== undefined && comment !== "") cell = commentOf(core, comment);
    const source = from.includes(":") ? core.Address.parse(from) : stranger(core, from);
    chain.send(source, core.Address.parse(to), BigInt(units), { body: cell, bounce, flags });
    return chain.settle(core.Address.parse(to).toRawString());
  },

  // dev_jetton deploys a jetton's master, and returns its address.
  async dev_jetton(chain, [name]) {
    const { core } = chain;
    const init = masterInit(core, chain.codes, stranger(core, "faucet"), name);
    const master = core.contractAddress(0, init);
    chain.send(stranger(core, "faucet"), master, core.toNano("1000"), { init, body: core.beginCell().storeUint(0, 32).endCell() });
    return master.toRawString();
  },

  // dev_pay sends units of a jetton to an owner. Without coins to forward, the owner gets no notice.
  async dev_pay(chain, [{ master, owner, units, comment, from = "faucet", forward = "1", inline = false, response = "" }]) {
    const { core } = chain;
    const body = mintBody(core, { owner: core.Address.parse(owner), from: stranger(core, from), units: BigInt(units), attach: core.toNano("0.1") + BigInt(forward),
      forward: BigInt(forward), payload: payloadOf(core, comment, inline), response: response ? core.Address.parse(response) : null });
    chain.send(stranger(core, "faucet"), core.Address.parse(master), core.toNano("0.2") + BigInt(forward), { body, bounce: true });
    return chain.settle(core.Address.parse(owner).toRawString());
  },

  // dev_spoil puts code at the jetton wallet of an owner that no jetton has.
  async dev_spoil(chain, [{ master, owner, how }]) {
    const { core } = chain;
    const asked = core.beginCell().storeAddress(core.Address.parse(owner)).endCell();
    const answer = await (await chain.vm.getContract(core.Address.parse(master))).get("get_wallet_address", [{ type: "slice", cell: asked }], { now: chain.time });
    const wallet = await chain.vm.getContract(answer.stackReader.readAddress());
    const { account } = wallet.account;
    account.storage.state.state.code = core.beginCell().storeBuffer(Buffer.from(SPOILT[how], "hex")).endCell();
    account.storageStats.storageExtra = null;
    wallet.account = { ...wallet.account, account };
    return null;
  },
};

module.exports = { orders };
