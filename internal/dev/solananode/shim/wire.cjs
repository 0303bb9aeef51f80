// The bytes of transactions, keys and addresses.
"use strict";
const crypto = require("node:crypto");

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function toBase58(bytes) {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  let number = BigInt("0x" + (Buffer.from(bytes).toString("hex") || "0"));
  let out = "";
  for (; number > 0n; number /= 58n) out = ALPHABET[Number(number % 58n)] + out;
  return "1".repeat(zeros) + out;
}

function fromBase58(text) {
  let number = 0n;
  let zeros = 0;
  while (zeros < text.length && text[zeros] === "1") zeros++;
  for (const c of text) {
    const digit = ALPHABET.indexOf(c);
    if (digit < 0) throw new Error("Invalid param: Invalid");
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? "" : number.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? "0" + hex : hex, "hex")]);
}

// address reads the base58 of 32 bytes.
function address(text) {
  const bytes = typeof text === "string" && text.length <= 44 ? fromBase58(text) : Buffer.alloc(0);
  if (bytes.length !== 32) throw new Error("Invalid param: WrongSize");
  return bytes;
}

const PROGRAMS = {
  system: "11111111111111111111111111111111",
  token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  associated: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  budget: "ComputeBudget111111111111111111111111111111",
};

// onCurve tells whether 32 bytes are a point of the curve of ed25519.
const P = 2n ** 255n - 19n;
const power = (base, exponent) => {
  let out = 1n;
  for (base %= P; exponent > 0n; exponent >>= 1n, base = (base * base) % P) if (exponent & 1n) out = (out * base) % P;
  return out;
};
const D = ((P - 121665n) * power(121666n, P - 2n)) % P;

function onCurve(bytes) {
  const little = Buffer.from(bytes).reverse();
  little[0] &= 0x7f;
  const y = BigInt("0x" + little.toString("hex"));
  const yy = (y * y) % P;
  const xx = ((yy + P - 1n) * power((D * yy + 1n) % P, P - 2n)) % P;
  return xx === 0n || power(xx, (P - 1n) / 2n) === 1n;
}

// associated is the address of an owner's token account.
function associated(owner, mint, program) {
  for (let bump = 255; bump >= 0; bump--) {
    const seeds = [owner, address(program), mint, Buffer.from([bump]), address(PROGRAMS.associated), Buffer.from("ProgramDerivedAddress")];
    const at = crypto.createHash("sha256").update(Buffer.concat(seeds)).digest();
    if (!onCurve(at)) return at;
  }
  throw new Error("no address is off the curve");
}

// keyOf is a key that everyone knows, by its name.
function keyOf(name) {
  const seed = crypto.createHash("sha256").update("solananode " + name).digest();
  const secret = crypto.createPrivateKey({ key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]), format: "der", type: "pkcs8" });
  const open = crypto.createPublicKey(secret).export({ format: "der", type: "spki" }).subarray(-32);
  return { secret, open: Buffer.from(open) };
}

function compact(n) {
  const out = [];
  for (; n > 0x7f; n >>= 7) out.push((n & 0x7f) | 0x80);
  return Buffer.from([...out, n]);
}

// sign builds a legacy transaction of instructions {program, accounts: [{key, signer, writable}], data}, signed by keys; the first pays.
function sign(instructions, keys, blockhash) {
  const metas = new Map();
  const add = (key, signer, writable) => {
    const text = toBase58(key);
    const was = metas.get(text) || { key, signer: false, writable: false };
    metas.set(text, { key, signer: was.signer || signer, writable: was.writable || writable });
  };
  add(keys[0].open, true, true);
  for (const i of instructions) for (const a of i.accounts) add(a.key, a.signer, a.writable);
  for (const i of instructions) add(i.program, false, false);
  const rank = (m) => (m.signer ? 0 : 2) + (m.writable ? 0 : 1);
  const all = [...metas.values()].sort((a, b) => rank(a) - rank(b));
  const place = (key) => all.findIndex((m) => m.key.equals(key));
  const signers = all.filter((m) => m.signer);
  const header = [signers.length, signers.filter((m) => !m.writable).length, all.filter((m) => !m.signer && !m.writable).length];
  const message = Buffer.concat([Buffer.from(header), compact(all.length), ...all.map((m) => m.key), address(blockhash), compact(instructions.length),
    ...instructions.map((i) => Buffer.concat([Buffer.from([place(i.program)]), compact(i.accounts.length),
      Buffer.from(i.accounts.map((a) => place(a.key))), compact(i.data.length), i.data]))]);
  const signatures = signers.map((m) => crypto.sign(null, message, keys.find((k) => k.open.equals(m.key)).secret));
  return Buffer.concat([compact(signatures.length), ...signatures, message]);
}

// parse takes a transaction apart. Tables of addresses are refused: the shim has none.
function parse(raw) {
  let at = 0;
  const bytes = (n) => {
    if (at + n > raw.length) throw new Error("failed to deserialize: io error: failed to fill whole buffer");
    return raw.subarray(at, (at += n));
  };
  const number = () => {
    let out = 0;
    for (let shift = 0; ; shift += 7) {
      const b = bytes(1)[0];
      out |= (b & 0x7f) << shift;
      if (b < 0x80) return out;
      if (shift > 14) throw new Error("failed to deserialize: invalid length");
    }
  };
  const list = (read) => Array.from({ length: number() }, read);
  const signatures = list(() => Buffer.from(bytes(64)));
  const start = at;
  let version = "legacy";
  if (raw[at] >= 0x80) version = bytes(1)[0] & 0x7f;
  const header = [...bytes(3)];
  const keys = list(() => Buffer.from(bytes(32)));
  const blockhash = toBase58(bytes(32));
  const instructions = list(() => ({ program: bytes(1)[0], accounts: list(() => bytes(1)[0]), data: Buffer.from(list(() => bytes(1)[0])) }));
  if (version === 0 && list(() => 0).length > 0) throw new Error("the shim has no tables of addresses");
  if (at !== raw.length || keys.length === 0 || signatures.length !== header[0]) throw new Error("failed to sanitize transaction");
  return { raw, version, signatures, signature: toBase58(signatures[0]), keys, header, blockhash, instructions, message: raw.subarray(start) };
}

module.exports = { toBase58, fromBase58, address, associated, onCurve, keyOf, sign, parse, PROGRAMS };
