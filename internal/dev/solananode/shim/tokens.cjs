// Accounts of tokens, as the RPC of a validator shows them.
"use strict";
const { toBase58, address, PROGRAMS } = require("./wire.cjs");

const ACCOUNT = 165; // bytes of an account of a token
const MINT = 82;
const isProgram = (owner) => [PROGRAMS.token, PROGRAMS.token2022].includes(owner);

// amount writes units as a validator does.
function amount(units, decimals) {
  const digits = units.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const text = rest ? `${whole}.${rest}` : whole;
  return { amount: units.toString(), decimals, uiAmount: units === 0n ? null : Number(text), uiAmountString: text };
}

// tokenBalances are the balances of those accounts that are of a token.
function tokenBalances(vm, keys, accounts) {
  const out = [];
  accounts.forEach((account, accountIndex) => {
    if (!account) return;
    const programId = toBase58(account.owner());
    const data = Buffer.from(account.data());
    const extended = data.length > ACCOUNT && data[ACCOUNT] !== 2;
    if (!isProgram(programId) || data.length < ACCOUNT || data[108] === 0 || extended) return;
    const mint = vm.getAccount(data.subarray(0, 32));
    if (!mint) return;
    out.push({ accountIndex, mint: toBase58(data.subarray(0, 32)), owner: toBase58(data.subarray(32, 64)), programId,
      uiTokenAmount: amount(data.readBigUInt64LE(64), mint.data()[44]) });
  });
  return out;
}

// mintData are the bytes of a mint with an authority that mints and freezes.
function mintData(authority, supply, decimals) {
  const data = Buffer.alloc(MINT);
  data.writeUInt32LE(1, 0);
  authority.copy(data, 4);
  data.writeBigUInt64LE(supply, 36);
  data[44] = decimals;
  data[45] = 1;
  data.writeUInt32LE(1, 46);
  authority.copy(data, 50);
  return data;
}

// accountData are the bytes of an account of a token.
function accountData(mint, owner, units) {
  const data = Buffer.alloc(ACCOUNT);
  mint.copy(data, 0);
  owner.copy(data, 32);
  data.writeBigUInt64LE(units, 64);
  data[108] = 1;
  return data;
}

module.exports = { tokenBalances, mintData, accountData, address };
