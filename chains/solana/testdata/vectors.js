// Writes vectors.json: transactions as @solana/web3.js and @solana/spl-token build and sign them, with keys made for this file.
"use strict";
const { createHash } = require("node:crypto");
const web3 = require("@solana/web3.js");
const spl = require("@solana/spl-token");
const bs58 = require("bs58").default;

const digest = (text) => createHash("sha256").update("causeway vector " + text).digest();
const keyOf = (name) => web3.Keypair.fromSeed(digest(name));
const USDC = new web3.PublicKey("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");
const T22 = spl.TOKEN_2022_PROGRAM_ID;

function build(i) {
  const kind = ["coin", "token", "token-new", "sweep-coin", "sweep-token", "nothing"][i % 6];
  const hot = keyOf("hot " + (i % 7));
  const deposit = keyOf("deposit " + i);
  const to = keyOf("to " + i).publicKey;
  const program = i % 4 === 3 ? T22 : spl.TOKEN_PROGRAM_ID;
  const units = BigInt("0x" + digest("units " + i).toString("hex").slice(0, 4 + (i % 13)));
  const limit = 1000 + i * 37;
  const price = BigInt(i) * 1001n;
  const of = (owner) => spl.getAssociatedTokenAddressSync(USDC, owner, true, program);
  const move = (from, target) => spl.createTransferCheckedInstruction(of(from), USDC, of(target), from, units, 6, [], program);
  const coin = (from, target) => web3.SystemProgram.transfer({ fromPubkey: from, toPubkey: target, lamports: units });
  const instructions = [web3.ComputeBudgetProgram.setComputeUnitLimit({ units: limit }), web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price })];
  const signers = [hot];
  switch (kind) {
    case "coin": instructions.push(coin(hot.publicKey, to)); break;
    case "token": instructions.push(move(hot.publicKey, to)); break;
    case "token-new":
      instructions.push(spl.createAssociatedTokenAccountIdempotentInstruction(hot.publicKey, of(to), to, USDC, program), move(hot.publicKey, to));
      break;
    case "sweep-coin": instructions.push(coin(deposit.publicKey, hot.publicKey)); signers.push(deposit); break;
    case "sweep-token":
      instructions.push(move(deposit.publicKey, hot.publicKey), spl.createCloseAccountInstruction(of(deposit.publicKey), hot.publicKey, deposit.publicKey, [], program));
      signers.push(deposit);
  }
  const blockhash = new web3.PublicKey(digest("block " + i)).toBase58();
  const message = new web3.TransactionMessage({ payerKey: hot.publicKey, recentBlockhash: blockhash, instructions }).compileToLegacyMessage();
  const signed = new web3.VersionedTransaction(message);
  signed.sign(signers);
  return { kind, hot: Buffer.from(hot.secretKey.slice(0, 32)).toString("hex"), deposit: Buffer.from(deposit.secretKey.slice(0, 32)).toString("hex"), to: to.toBase58(),
    mint: USDC.toBase58(), program: program.toBase58(), units: units.toString(), limit, price: Number(price), blockhash,
    raw: Buffer.from(signed.serialize()).toString("hex"), txid: bs58.encode(signed.signatures[0]) };
}

const associated = Array.from({ length: 50 }, (_, i) => {
  const owner = keyOf("owner " + i).publicKey;
  const mint = keyOf("mint " + i).publicKey;
  const program = i % 2 ? T22 : spl.TOKEN_PROGRAM_ID;
  return { owner: owner.toBase58(), mint: mint.toBase58(), program: program.toBase58(), at: spl.getAssociatedTokenAddressSync(mint, owner, true, program).toBase58() };
});
console.log(JSON.stringify({ transactions: Array.from({ length: 200 }, (_, i) => build(i)), associated }, null, 1));
