// node compile.js tokens.sol > tokens.json   (npm install solc@0.8.28)
const fs = require("fs"), solc = require("solc");
const out = JSON.parse(solc.compile(JSON.stringify({
  language: "Solidity",
  sources: { "tokens.sol": { content: fs.readFileSync(process.argv[2], "utf8") } },
  settings: {
    evmVersion: "petersburg", optimizer: { enabled: true, runs: 200 }, metadata: { appendCBOR: false, bytecodeHash: "none" },
    outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
  },
})));
for (const e of out.errors || []) console.error(e.formattedMessage);
const tokens = {};
for (const [name, c] of Object.entries(out.contracts["tokens.sol"]))
  tokens[name] = { abi: c.abi, code: c.evm.deployedBytecode.object };
console.log("{\n" + Object.entries(tokens).map(([k, v]) => `"${k}": ${JSON.stringify(v)}`).join(",\n") + "\n}");
