package tronnode

import (
	"encoding/json"
	"net/http"
	"strings"
)

// keyHeader is where TronGrid and its kin want a key.
const keyHeader = "TRON-PRO-API-KEY"

// answerer answers one question about the chain.
type answerer func(c *chain, q *question) any

// full are the questions under /wallet/, about the newest block and what waits for the next.
var full = map[string]answerer{
	"getnowblock": newest, "getblockbynum": byNumber, "getblockbylimitnext": several, "getblockbylatestnum": latest,
	"getblock": byEither, "getblockbyid": byID,
	"gettransactionbyid": transactionByID, "gettransactioninfobyid": infoByID, "gettransactioninfobyblocknum": infos,
	"gettransactionfrompending": fromPending, "gettransactionlistfrompending": pending, "getpendingsize": pendingSize,
	"getaccount": accountOf, "getaccountresource": resourcesOf, "getdelegatedresourcev2": loansOf,
	"getdelegatedresourceaccountindexv2": lentTo, "getcandelegatedmaxsize": lendable,
	"triggerconstantcontract": constantCall, "estimateenergy": estimate, "getcontract": contractOf, "getcontractinfo": contractInfo,
	"getchainparameters": parameters, "getnodeinfo": nodeInfo, "getenergyprices": energyPrices, "getbandwidthprices": bytePrices,
	"broadcasthex": broadcastHex, "broadcasttransaction": broadcastJSON,
}

// solidified are the questions under /walletsolidity/: they see the chain as it was after the solid block.
var solidified = map[string]answerer{
	"getnowblock": newest, "getblockbynum": byNumber, "getblockbylimitnext": several, "getblockbylatestnum": latest,
	"getblock": byEither, "getblockbyid": byID,
	"gettransactionbyid": transactionByID, "gettransactioninfobyid": infoByID, "gettransactioninfobyblocknum": infos,
	"getaccount": accountOf, "getdelegatedresourcev2": loansOf, "triggerconstantcontract": constantCall, "estimateenergy": estimate,
	"getdelegatedresourceaccountindexv2": lentTo, "getcandelegatedmaxsize": lendable, "getnodeinfo": nodeInfo,
}

// ServeHTTP answers a question, or does what a test orders under /dev/.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) { n.serve(w, r, 0) }

func (n *Node) serve(w http.ResponseWriter, r *http.Request, behind int) {
	view, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if view == "dev" {
		n.serveOrder(w, r, name)
		return
	}
	if !n.admits(w, r) || n.troubled(w, r, view+"/"+name) {
		return
	}
	answer, ok := map[string]map[string]answerer{"wallet": full, "walletsolidity": solidified}[view][name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	q, err := readQuestion(r)
	if err != nil {
		write(w, object{"Error": err.Error()})
		return
	}
	n.mu.Lock()
	result := n.answer(view, name, behind, answer, q)
	n.mu.Unlock()
	write(w, result)
}

// ofState are the questions about the state after a block. The others are about blocks.
var ofState = map[string]bool{"getaccount": true, "getaccountresource": true, "getdelegatedresourcev2": true,
	"getdelegatedresourceaccountindexv2": true, "getcandelegatedmaxsize": true, "triggerconstantcontract": true, "estimateenergy": true}

// answer runs an answerer on the view it is asked in, so many blocks behind.
func (c *chain) answer(view, name string, behind int, answer answerer, q *question) (result any) {
	seen := c.block(max(c.head().number-int64(behind), 0))
	if view == "walletsolidity" {
		seen = c.block(max(min(seen.number-int64(c.lag), c.solid().number), 0))
	}
	if seen == c.head() || strings.HasPrefix(name, "broadcast") {
		return answer(c, q)
	}
	newest := c.blocks
	ask := func() {
		c.blocks = newest[:seen.number+1]
		result = answer(c, q)
		c.blocks = newest
	}
	if ofState[name] {
		c.at(seen, ask)
	} else {
		ask()
	}
	return result
}

// admits checks the key, if the node wants one.
func (n *Node) admits(w http.ResponseWriter, r *http.Request) bool {
	if n.key == "" || r.Header.Get(keyHeader) == n.key {
		return true
	}
	w.WriteHeader(http.StatusUnauthorized)
	write(w, object{"Error": "ApiKey not exists"})
	return false
}

func write(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	if ready, ok := result.(json.RawMessage); ok {
		_, _ = w.Write(ready)
		return
	}
	_ = json.NewEncoder(w).Encode(result)
}
