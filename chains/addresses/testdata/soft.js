// Writes soft.json: keys of BIP32-Ed25519 and signatures by them, as @emurgo/cardano-serialization-lib-nodejs makes them.
"use strict";
const { createHash } = require("node:crypto");
const cardano = require("@emurgo/cardano-serialization-lib-nodejs");

const digest = (text) => createHash("sha256").update("causeway vector " + text).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const HARD = 0x80000000;

const keys = Array.from({ length: 40 }, (_, i) => {
  const seed = digest("soft seed " + i).subarray(0, 16 + (i % 5) * 4);
  const account = cardano.Bip32PrivateKey.from_bip39_entropy(seed, Buffer.alloc(0)).derive(HARD + 44).derive(HARD + 501).derive(HARD + (i % 3));
  const branch = i % 2;
  const index = i * i * i * 31337 % 2147483647;
  const child = account.derive(branch).derive(index);
  const message = digest("soft message " + i).subarray(0, i % 33);
  return { seed: hex(seed), account: i % 3, branch, index, xpub: hex(account.to_public().as_bytes()), public: hex(child.to_public().to_raw_key().as_bytes()),
    message: hex(message), signature: child.to_raw_key().sign(message).to_hex() };
});
console.log(JSON.stringify({ keys }, null, 1));
