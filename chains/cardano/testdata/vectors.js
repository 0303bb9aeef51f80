// Writes vectors.json (README.md).
"use strict";
const C = require("@emurgo/cardano-serialization-lib-nodejs");
const crypto=require("crypto");
const h=(s)=>crypto.createHash("sha256").update(s).digest();
let seq=0; const rnd=(n)=>h("v"+(seq++)).readUInt32BE(0)%n;
const out=[];
for(let i=0;i<120;i++){
  const seed=h("seed "+i).toString("hex").slice(0,64);
  const root=C.Bip32PrivateKey.from_bip39_entropy(Buffer.from(seed,"hex"),Buffer.alloc(0));
  const acc=root.derive(0x80000000+1852).derive(0x80000000+1815).derive(0x80000000);
  const xpub=Buffer.from(acc.to_public().as_bytes()).toString("hex");
  const keyAt=(b,ix)=>acc.derive(b).derive(ix);
  const addrOf=(k)=>C.EnterpriseAddress.new(1,C.Credential.from_keyhash(k.to_public().to_raw_key().hash())).to_address();
  const n=1+rnd(5), outsN=1+rnd(6);
  const ins=C.TransactionInputs.new(); const inputs=[]; const wallets=[];
  for(let j=0;j<n;j++){const id=h("in"+i+j).toString("hex");const ix=rnd(30)===0?300:rnd(30);ins.add(C.TransactionInput.new(C.TransactionHash.from_hex(id),ix));
    const w=rnd(3)===0?[1,0]:[0,rnd(100000)];inputs.push({id,index:ix,branch:w[0],key:w[1]});}
  const outs=C.TransactionOutputs.new(); const outputs=[];
  for(let j=0;j<outsN;j++){
    const stake=C.Credential.from_keyhash(keyAt(2,j).to_public().to_raw_key().hash());
    const pay=C.Credential.from_keyhash(keyAt(0,j+50).to_public().to_raw_key().hash());
    const kind=rnd(4);
    let a = kind===0?addrOf(keyAt(1,0)): kind===1?C.BaseAddress.new(1,pay,stake).to_address(): kind===2?C.EnterpriseAddress.new(1,C.Credential.from_scripthash(C.ScriptHash.from_bytes(h("s"+i+j).subarray(0,28)))).to_address(): null;
    let text; if(a) text=a.to_bech32(); else {const b=C.ByronAddress.icarus_from_key(keyAt(0,j).to_public(),764824073); a=b.to_address(); text=b.to_base58();}
    const lov=String([1_000_000,5_000_000_000,969750,45_000_000_000_000_000,4_294_967_296,4_294_967_295][rnd(6)]+rnd(1000));
    outs.add(C.TransactionOutput.new(a,C.Value.new(C.BigNum.from_str(lov))));
    outputs.push({address:text,lovelace:lov});
  }
  const fee=String(160000+rnd(100000)); const ttl=100_000_000+rnd(100_000_000)+ (rnd(9)===0?5_000_000_000:0);
  const body=C.TransactionBody.new_tx_body(ins,outs,C.BigNum.from_str(fee)); body.set_ttl(C.BigNum.from_str(String(ttl)));
  const fixed=C.FixedTransaction.new_from_body_bytes(body.to_bytes());
  const seen=new Set();
  const wit=C.TransactionWitnessSet.new(); const vk=C.Vkeywitnesses.new();
  for(const k of inputs){const name=k.branch+"/"+k.key;if(seen.has(name))continue;seen.add(name);
    vk.add(C.make_vkey_witness(fixed.transaction_hash(),keyAt(k.branch,k.key).to_raw_key()));}
  wit.set_vkeys(vk);
  const tx=C.Transaction.new(body,wit);
  out.push({seed,xpub,hot:addrOf(keyAt(1,0)).to_bech32(),deposit:addrOf(keyAt(0,inputs[0].key)).to_bech32(),inputs,outputs,fee,ttl,txid:fixed.transaction_hash().to_hex(),raw:tx.to_hex(),
    minAda: C.min_ada_for_output(outs.get(0),C.DataCost.new_coins_per_byte(C.BigNum.from_str("4310"))).to_str()});
}
process.stdout.write("[\n"+out.map(o=>JSON.stringify(o)).join(",\n")+"\n]\n");
