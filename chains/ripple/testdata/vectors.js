// Writes vectors.json: 200 transactions built and signed by xrpl.js, without a node. See README.md.
const { hashes, encode } = require("xrpl");
const { encodeForSigning } = require("ripple-binary-codec");
const { deriveAddress, sign } = require("ripple-keypairs");
const { encodeXAddress, decodeAccountID } = require("ripple-address-codec");
const crypto = require("crypto");

// A row of numbers that is the same each time.
let count = 0;
const random = (name) => crypto.createHash("sha256").update(`vectors of ripple ${name} ${count++}`).digest();
const below = (limit, name) => Number(BigInt("0x" + random(name).toString("hex")) % BigInt(limit));
const pick = (list, name) => list[below(list.length, name)];
const amount = () => pick([1, 127, 128, 1_000_000, 99_999_999_999, below(1_000_000_000, "small") + 1, below(2 ** 50, "large") + 1], "amount");

const privateKey = (n) => crypto.createHash("sha256").update(`key of the vectors of ripple ${n}`).digest("hex").toUpperCase();
function publicOf(key) {
  const curve = crypto.createECDH("secp256k1");
  curve.setPrivateKey(key, "hex");
  return curve.getPublicKey("hex", "compressed").toUpperCase();
}
const address = (n) => deriveAddress(publicOf(crypto.createHash("sha256").update(`receiver of the vectors of ripple ${n}`).digest("hex")));

function build(kind, account, key) {
  const tx = {
    TransactionType: kind === "set" ? "AccountSet" : "Payment", Account: account, Fee: String(10 + below(5000, "fee")),
    Sequence: 1 + below(2 ** 32 - 1, "sequence"), LastLedgerSequence: below(2 ** 32, "last"), Flags: 0x80000000, SigningPubKey: key,
  };
  if (below(3, "network") === 0) tx.NetworkID = 1025 + below(2 ** 31, "id");
  if (kind === "set") {
    const flag = pick([0, 1, 3, 9], "flag");
    if (flag !== 0) tx[pick(["SetFlag", "ClearFlag"], "which")] = flag;
    return tx;
  }
  tx.Amount = String(amount());
  tx.Destination = address(below(40, "to"));
  if (kind === "tagged") tx.DestinationTag = pick([0, 1, 12345678, 2 ** 32 - 1, below(2 ** 32, "tag")], "tag");
  return tx;
}

const transactions = [];
for (const [kind, times] of Object.entries({ plain: 60, tagged: 80, set: 60 })) {
  for (let i = 0; i < times; i++) {
    const key = privateKey(below(5, "key")), account = deriveAddress(publicOf(key));
    const tx = build(kind, account, publicOf(key));
    tx.TxnSignature = sign(encodeForSigning(tx), "00" + key);
    const blob = encode(tx);
    const x = encodeXAddress(decodeAccountID(tx.Destination ?? account), tx.DestinationTag ?? false, false);
    const { SigningPubKey, TxnSignature, TransactionType, Flags, ...inputs } = tx;
    transactions.push({ kind, key, ...inputs, x_address: x, public: SigningPubKey, signature: TxnSignature, blob, hash: hashes.hashSignedTx(blob) });
  }
}
console.log('{"by": "xrpl ' + require("xrpl/package.json").version + '", "transactions": [\n' + transactions.map((t) => JSON.stringify(t)).join(",\n") + "\n]}");
