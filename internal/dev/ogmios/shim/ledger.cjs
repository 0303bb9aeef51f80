// The ledger: the emulator judges a transaction, and the shim makes the checks that it lacks.
"use strict";
const { Refusal } = require("./refusal.cjs");

// ref names an output, as in the chain's own maps.
const ref = (input) => `${input.transactionId()}#${input.index()}`;

// codes are Ogmios's own for what the emulator says in words.
const codes = [
  [/^Invalid vkey/, 3100, "Some signatures are invalid."],
  [/^(Vkey|Script) \(hash/, 3101, "Some signatures are missing."],
  [/^Validity interval/, 3118, "The transaction is outside of its validity interval."],
  [/^Transaction size/, 3119, "The transaction is too large."],
  [/value exceeds the maximum/, 3120, "Some output values are too large."],
  [/^Inputs must not be an empty set/, 3121, "The transaction has no inputs."],
  [/^Insufficient transaction fee/, 3122, "The transaction fee is too small."],
  [/^Value not conserved/, 3123, "In and out value is not conserved."],
  [/minADA requirement/, 3125, "Some outputs have an insufficient amount of Ada."],
];

class Ledger {
  constructor(core, Emulator) {
    this.core = core;
    this.emulator = new Emulator([]);
    this.emulator.acceptTransaction = () => {}; // the shim keeps the mempool
    this.params = this.emulator.params;
  }

  // reset makes these all outputs there are, by their names.
  reset(outputs) {
    for (const u of this.emulator.utxos()) this.emulator.removeUtxo(u.input());
    for (const [name, output] of outputs) this.emulator.addUtxo(new this.core.TransactionUnspentOutput(this.input(name), output));
  }

  input(name) {
    const [id, index] = name.split("#");
    return new this.core.TransactionInput(this.core.TransactionId(id), BigInt(index));
  }

  // read reads a transaction from hex.
  read(cbor) {
    try {
      const tx = this.core.Transaction.fromCbor(this.core.TxCBOR(cbor));
      if (tx.toCbor() !== cbor) throw new Error("it is written in another way");
      tx.body().outputs().forEach((o) => o.address().toBech32());
      return tx;
    } catch (err) {
      throw new Refusal(-32602, "Invalid transaction; it looks like the given transaction wasn't well-formed.", { conway: err.message });
    }
  }

  // judge throws a Refusal unless a node would take the transaction in the slot.
  async judge(tx, slot) {
    const body = tx.body();
    const inputs = body.inputs().values();
    const unknown = inputs.filter((i) => !this.emulator.getOutput(i));
    if (inputs.length > 0 && unknown.length === inputs.length) {
      throw new Refusal(3997, "The transaction couldn't be added to the mempool. A justification is given as 'data.error'.",
        { error: "All inputs are spent. Transaction has probably already been included" });
    }
    if (unknown.length > 0) {
      throw new Refusal(3117, "The transaction contains unknown UTxO references as inputs.",
        { unknownOutputReferences: unknown.map((i) => ({ transaction: { id: i.transactionId() }, index: Number(i.index()) })) });
    }
    if (new Set(inputs.map(ref)).size !== inputs.length) throw new Refusal(-32602, "Invalid transaction", { conway: "an input is there twice" });
    const foreign = body.outputs().filter((o) => o.address().getNetworkId() !== this.core.NetworkId.Mainnet);
    if (foreign.length > 0) {
      throw new Refusal(3124, "The transaction is of another network.", { discriminatedType: "address", invalidEntities: foreign.map((o) => o.address().toBech32()) });
    }
    if (!tx.witnessSet().vkeys()) throw new Refusal(3101, "Some signatures are missing.", { words: "there are none" });
    this.emulator.clock.slot = slot;
    try {
      await this.emulator.submitTransaction(tx);
    } catch (err) {
      throw this.refusal(tx, err, slot);
    }
  }

  refusal(tx, err, slot) {
    const [, code, message] = codes.find(([words]) => words.test(err.message)) ?? [null, 3998, "The shim does not know this error."];
    const data = { words: err.message };
    if (code === 3118) Object.assign(data, { validityInterval: { invalidAfter: Number(tx.body().ttl() ?? 0) }, currentSlot: slot });
    if (code === 3122) {
      const least = /Required: (\d+)/.exec(err.message)[1];
      Object.assign(data, { minimumRequiredFee: { ada: { lovelace: Number(least) } }, providedFee: { ada: { lovelace: Number(tx.body().fee()) } } });
    }
    return new Refusal(code, message, data);
  }

  // carry spends and makes the outputs of a transaction in a map, and returns what it spent.
  carry(outputs, entry) {
    const spent = entry.spends.map((name) => [name, outputs.get(name)]);
    for (const name of entry.spends) outputs.delete(name);
    for (const [name, output] of entry.makes) outputs.set(name, output);
    return spent;
  }

  // apply carries a transaction of the mempool out: later ones may spend its outputs.
  apply(entry) {
    for (const name of entry.spends) this.emulator.removeUtxo(this.input(name));
    for (const [name, output] of entry.makes) this.emulator.addUtxo(new this.core.TransactionUnspentOutput(this.input(name), output));
  }

  // entry is a transaction with its names for blocks.
  entry(tx) {
    const id = tx.getId();
    return { id, tx, ttl: Number(tx.body().ttl() ?? Infinity), spends: tx.body().inputs().values().map(ref),
      makes: tx.body().outputs().map((output, i) => [`${id}#${i}`, output]) };
  }
}

module.exports = { Ledger, ref };
