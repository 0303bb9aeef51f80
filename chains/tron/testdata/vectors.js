// Writes vectors.json: 220 transactions built and signed by tronweb, without a node. See README.md.
const { TronWeb } = require("tronweb");
const crypto = require("crypto");

// A row of numbers that is the same each time.
let count = 0;
const random = (name) => crypto.createHash("sha256").update(`vectors of tron ${name} ${count++}`).digest();
const below = (limit, name) => Number(BigInt("0x" + random(name).toString("hex")) % BigInt(limit));
const pick = (list, name) => list[below(list.length, name)];
const amount = () => pick([1, 127, 128, 1_000_000, 2_000_000_000_000, below(1_000_000_000, "small") + 1, below(2 ** 50, "large") + 1], "amount");

const keys = [1, 2, 3, 4, 5].map((n) => crypto.createHash("sha256").update(`key of the vectors ${n}`).digest("hex"));
const address = (n) => TronWeb.address.fromPrivateKey(crypto.createHash("sha256").update(`receiver of the vectors ${n}`).digest("hex"));
const contracts = ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8"];

async function build(web, kind, from) {
  const at = 1_760_000_000_000 + below(10_000_000_000, "time");
  const header = {
    ref_block_bytes: random("bytes").toString("hex").slice(0, 4), ref_block_hash: random("hash").toString("hex").slice(0, 16),
    expiration: at + 60_000 + below(60_000, "life"), timestamp: at,
  };
  const b = web.transactionBuilder, to = address(below(40, "to")), o = { blockHeader: header };
  const sun = Math.max(amount(), kind === "transfer" || kind === "token" ? 1 : 1_000_000);
  const resource = pick(["ENERGY", "BANDWIDTH"], "resource");
  switch (kind) {
    case "transfer":
      return [{ to, amount: String(sun), ...header }, await b.sendTrx(to, sun, from, o)];
    case "token": {
      const contract = pick(contracts, "contract"), feeLimit = 1_000_000 + below(100_000_000, "fee");
      const units = pick([String(sun), (2n ** 255n + BigInt(sun)).toString()], "units");
      const made = await b.triggerSmartContract(contract, "transfer(address,uint256)", { feeLimit, txLocal: true, ...o },
        [{ type: "address", value: to }, { type: "uint256", value: units }], from);
      return [{ contract, to, amount: units, fee_limit: feeLimit, ...header }, made.transaction];
    }
    case "freeze":
      return [{ resource, amount: String(sun), ...header }, await b.freezeBalanceV2(sun, resource, from, o)];
    case "unfreeze":
      return [{ resource, amount: String(sun), ...header }, await b.unfreezeBalanceV2(sun, resource, from, o)];
    case "delegate": {
      const lock = below(4, "lock") === 0, period = lock ? 1200 + below(86_400, "period") : undefined;
      return [{ to, resource, amount: String(sun), lock, lock_period: period ?? 0, ...header },
        await b.delegateResource(sun, to, resource, from, lock, period, o)];
    }
    case "undelegate":
      return [{ to, resource, amount: String(sun), ...header }, await b.undelegateResource(sun, to, resource, from, o)];
    case "withdraw":
      return [{ amount: "0", ...header }, await b.withdrawExpireUnfreeze(from, o)];
  }
}

(async () => {
  const plan = Object.entries({ transfer: 60, token: 60, freeze: 20, unfreeze: 20, delegate: 20, undelegate: 20, withdraw: 20 });
  const transactions = [];
  for (const [kind, times] of plan) {
    for (let i = 0; i < times; i++) {
      const key = pick(keys, "key"), from = TronWeb.address.fromPrivateKey(key);
      const web = new TronWeb({ fullHost: "http://127.0.0.1:1" });
      web.setAddress(from);
      const [inputs, tx] = await build(web, kind, from);
      const signed = await web.trx.sign(tx, key);
      transactions.push({ kind, key, from, ...inputs, raw_data_hex: tx.raw_data_hex, txid: tx.txID, signature: signed.signature[0].toLowerCase() });
    }
  }
  console.log('{"by": "tronweb ' + TronWeb.version + '", "transactions": [\n' + transactions.map((t) => JSON.stringify(t)).join(",\n") + "\n]}");
})();
