// Writes ledgers.json and transactions.json out of the answers recorded in xrpl.js's own tests, in the binary form that nodes tell. See README.md.
const fs = require("fs");
const { encode } = require("ripple-binary-codec");
const { hashes } = require("xrpl");
const [, , fixtures] = process.argv; // a checkout of XRPLF/xrpl.js, packages
const read = (name) => JSON.parse(fs.readFileSync(fixtures + "/" + name));

// The bytes of a header, out of its words.
function header(l) {
  const number = (n, digits) => BigInt(n).toString(16).padStart(digits, "0").toUpperCase();
  return number(l.ledger_index, 8) + number(l.total_coins, 16) + l.parent_hash + l.transaction_hash + l.account_hash +
    number(l.parent_close_time, 8) + number(l.close_time, 8) + number(l.close_time_resolution, 2) + number(l.close_flags, 2);
}

function binary({ hash, metaData, meta, ...tx }) {
  const blob = encode(tx);
  const { delivered_amount, ...told } = metaData ?? meta;
  return { tx_blob: blob, meta_blob: encode(told), hash: hash ?? hashes.hashSignedTx(blob) };
}

const ledgers = [
  ["ripple-binary-codec/test/fixtures/ledger-full-38129.json"],
  ["xrpl/test/fixtures/requests/hashLedger.json", "xrpl/test/fixtures/requests/hashLedgerTransactions.json"],
].map((source) => {
  const l = read(source[0]), transactions = source[1] ? read(source[1]) : l.transactions;
  return { source: source.join(" and "), ledger_hash: l.ledger_hash, ledger_data: header(l), transactions: transactions.map(binary) };
});
fs.writeFileSync("ledgers.json", JSON.stringify(ledgers, null, 1) + "\n");

const full = "xrpl/test/fixtures/rippled/ledgerFull7501326.json", whole = read(full);
const dry = (whole.result?.ledger ?? whole.ledger ?? whole).transactions.find((t) => t.metaData.TransactionResult === "tecPATH_DRY");
const partly = "xrpl/test/fixtures/rippled/streams/partialPaymentTransaction.json", told = read(partly);
const { date, ...payment } = told.transaction;
const escrow = "ripple-binary-codec/test/fixtures/escrow-finish-tx.json";
const transactions = [
  { source: full, result: "tecPATH_DRY", ...binary(dry) },
  { source: partly, result: told.meta.TransactionResult, delivered: told.meta.delivered_amount, ...binary({ ...payment, meta: told.meta }) },
  { source: escrow, result: "tesSUCCESS", ...binary(read(escrow)) },
];
fs.writeFileSync("transactions.json", JSON.stringify(transactions, null, 1) + "\n");
