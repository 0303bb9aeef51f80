// The orders of tests, as methods of the same RPC. A validator has none of them.
"use strict";
const { toBase58, address, associated, keyOf, sign, parse, PROGRAMS } = require("./wire.cjs");
const { accountData, mintData } = require("./tokens.cjs");

const account = (key, signer, writable) => ({ key, signer, writable });
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(n)); return b; };
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); return b; };

function orders(chain, trouble) {
  let number = 0;
  // send signs instructions by known keys, the first of which pays, and puts them among what waits.
  const send = (instructions, names = ["faucet"]) => {
    const limit = { program: address(PROGRAMS.budget), accounts: [], data: Buffer.concat([Buffer.from([2]), u32(1_000_000 + (number++ % 100_000))]) };
    const transaction = parse(sign([limit, ...instructions], names.map(keyOf), chain.final().blockhash));
    chain.pending.push(transaction);
    return transaction.signature;
  };
  const rent = (size) => chain.vm.minimumBalanceForRentExemption(BigInt(size));
  const programOf = (mint) => toBase58(chain.vm.getAccount(mint).owner());

  return {
    dev_mine: (slots) => { for (let i = 0; i < slots; i++) chain.produce(); return chain.slot; },
    dev_skip: (slots) => { chain.skip(slots); return chain.slot; },
    dev_fork: (slots, drop = []) => { chain.fork(slots, drop); return chain.slot; },
    dev_drop: () => { chain.pending = []; return true; },
    dev_hold: (on) => { chain.hold = on; return on; },
    dev_stall: (on) => { chain.stalled = on ? chain.final().slot : null; return on; },
    dev_trouble: (what) => { Object.assign(trouble, what); return trouble; },
    dev_key: (name) => toBase58(keyOf(name).open),
    dev_associated: (owner, mint) => toBase58(associated(address(owner), address(mint), programOf(address(mint)))),
    dev_waiting: () => chain.pending.map((t) => t.signature),
    // dev_fund sends lamports of the faucet.
    dev_fund: (to, lamports) => send([{ program: address(PROGRAMS.system), data: Buffer.concat([u32(2), u64(lamports)]),
      accounts: [account(chain.faucet.open, true, true), account(address(to), false, true)] }]),
    // dev_mint puts a mint at an address, with a supply at the faucet.
    dev_mint: (at, decimals, supply, program = "token") => {
      const owner = address(PROGRAMS[program]);
      const mint = address(at);
      chain.set(mint, rent(82), mintData(chain.faucet.open, BigInt(supply), decimals), owner);
      chain.set(associated(chain.faucet.open, mint, PROGRAMS[program]), rent(165), accountData(mint, chain.faucet.open, BigInt(supply)), owner);
      return at;
    },
    // dev_pay sends units of a token from the faucet to an owner, and makes the owner's account where there is none.
    dev_pay: (mintText, to, units) => {
      const mint = address(mintText);
      const program = programOf(mint);
      const target = associated(address(to), mint, program);
      const source = associated(chain.faucet.open, mint, program);
      const decimals = chain.vm.getAccount(mint).data()[44];
      return send([
        { program: address(PROGRAMS.associated), data: Buffer.from([1]), accounts: [account(chain.faucet.open, true, true), account(target, false, true),
          account(address(to), false, false), account(mint, false, false), account(address(PROGRAMS.system), false, false), account(address(program), false, false)] },
        { program: address(program), data: Buffer.concat([Buffer.from([12]), u64(units), Buffer.from([decimals])]),
          accounts: [account(source, false, true), account(mint, false, false), account(target, false, true), account(chain.faucet.open, true, false)] },
      ]);
    },
    // dev_run sends instructions of a test's own: program and keys in base58, data in base64, signed by known keys.
    dev_run: (instructions, names) => send(instructions.map((i) => ({ program: address(i.program), data: Buffer.from(i.data, "base64"),
      accounts: (i.accounts ?? []).map((a) => account(address(a.key), a.signer ?? false, a.writable ?? false)) })), names),
    // dev_freeze freezes the account of an owner, by the authority of the mint.
    dev_freeze: (mintText, owner) => {
      const mint = address(mintText);
      const program = programOf(mint);
      return send([{ program: address(program), data: Buffer.from([10]), accounts: [account(associated(address(owner), mint, program), false, true),
        account(mint, false, false), account(chain.faucet.open, true, false)] }]);
    },
  };
}

module.exports = { orders };
