// Orders of tests: money from strangers, blocks, reorganisations, and trouble.
"use strict";
const crypto = require("node:crypto");
const { output } = require("./told.cjs");

const fee = 300_000n;

// stranger is the key of a name.
function stranger(core, name) {
  return core.Ed25519PrivateKey.fromNormalBytes(crypto.createHash("sha256").update(`stranger ${name}`).digest());
}

function addressOf(core, key) {
  return core.addressFromCredential(core.NetworkId.Mainnet, core.Credential.fromCore({ type: core.CredentialType.KeyHash, hash: key.toPublic().hash().hex() }));
}

function valueOf(core, lovelace, assets = {}) {
  const bundle = new Map(Object.entries(assets).map(([name, quantity]) => [core.AssetId(name), BigInt(quantity)]));
  return bundle.size ? new core.Value(BigInt(lovelace), bundle) : new core.Value(BigInt(lovelace));
}

// spend signs a transaction of one input.
function spend(core, name, outputs, key, chain) {
  const body = new core.TransactionBody(core.CborSet.fromCore([chain.ledger.input(name).toCore()], core.TransactionInput.fromCore), outputs, fee, undefined);
  const witness = new core.TransactionWitnessSet();
  const tx = new core.Transaction(body, witness);
  witness.setVkeys(core.CborSet.fromCore([[key.toPublic().hex(), key.sign(tx.getId()).hex()]], core.VkeyWitness.fromCore));
  tx.setWitnessSet(witness);
  return tx;
}

const orders = {
  async dev_mine(chain, [blocks = 1]) { await chain.mine(blocks); },

  // dev_reorg replaces the newest blocks by one more. Transactions in drop are in the mempool neither.
  async dev_reorg(chain, [depth, drop]) {
    await chain.back(depth, drop);
    await chain.mine(depth + 1);
  },

  // dev_forget empties the mempool.
  async dev_forget(chain) {
    chain.pool = [];
    await chain.refill();
  },

  // dev_pay has a stranger pay, with an output that the faucet makes for it. Tokens are by policy and name in one word.
  async dev_pay(chain, [{ to, lovelace, assets, from = "faucet" }]) {
    const { core } = chain;
    const key = stranger(core, from);
    const address = addressOf(core, key);
    const name = chain.faucet(new core.TransactionOutput(address, valueOf(core, BigInt(lovelace) + fee, assets)));
    return chain.submit(spend(core, name, [new core.TransactionOutput(core.Address.fromBech32(to), valueOf(core, lovelace, assets))], key, chain));
  },

  // dev_fail puts a transaction into the next block whose script has failed: it names outputs and spends its collateral alone, of which a
  // part returns. The shim makes it up, for it runs no scripts.
  async dev_fail(chain, [{ input, to, lovelace, back, collateral: given }]) {
    const { core } = chain;
    const key = stranger(core, "faucet");
    const collateral = given ?? chain.faucet(new core.TransactionOutput(addressOf(core, key), valueOf(core, BigInt(back) + fee)));
    const id = crypto.createHash("sha256").update(`failed ${collateral}`).digest("hex");
    const paid = new core.TransactionOutput(core.Address.fromBech32(to), valueOf(core, lovelace));
    const returned = new core.TransactionOutput(core.Address.fromBech32(to), valueOf(core, back));
    const named = (name) => ({ transaction: { id: name.split("#")[0] }, index: Number(name.split("#")[1]) });
    chain.pool.push({ id, ttl: Infinity, spends: [collateral], makes: [[`${id}#1`, returned]],
      words: { id, spends: "collaterals", inputs: [named(input)], collaterals: [named(collateral)], totalCollateral: { ada: { lovelace: Number(fee) } },
        outputs: [output(paid)], collateralReturn: output(returned), fee: { ada: { lovelace: 1 } }, signatories: [] } });
    return id;
  },

  async dev_stranger(chain, [name]) { return addressOf(chain.core, stranger(chain.core, name)).toBech32(); },

  // dev_beside puts the part for stake of a stranger beside the key of an address.
  async dev_beside(chain, [address, name]) {
    const { core } = chain;
    const stake = core.Credential.fromCore({ type: core.CredentialType.KeyHash, hash: stranger(core, name).toPublic().hash().hex() });
    return core.addressFromCredentials(core.NetworkId.Mainnet, core.Credential.fromCore(core.Address.fromBech32(address).getProps().paymentPart), stake).toBech32();
  },

  async dev_trouble(chain, [trouble]) {
    Object.assign(chain.trouble, trouble);
    if (trouble.down) for (const s of chain.sessions) s.cut();
  },

  // dev_waiting lists the mempool.
  async dev_waiting(chain) { return chain.pool.map((t) => t.id); },
};

module.exports = { orders };
