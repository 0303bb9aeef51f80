package rippled

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// devOrder is the body of a question under /dev/.
type devOrder struct {
	Ledgers   int     `json:"ledgers"`
	Address   string  `json:"address"`
	Tag       *uint32 `json:"tag"`
	Drops     int64   `json:"drops"`
	Delivered int64   `json:"delivered"`
	Units     int64   `json:"units"`
	Code      string  `json:"code"`
	Times     int     `json:"times"`
	On        bool    `json:"on"`
	MS        int     `json:"ms"`
	From      int64   `json:"from"`
	To        int64   `json:"to"`
}

// serveOrder does what a test, or a demonstration in another process, orders.
func (n *Node) serveOrder(w http.ResponseWriter, r *http.Request, name string) {
	var o devOrder
	if r.Method != http.MethodPost {
		http.Error(w, "POST an order", http.StatusMethodNotAllowed)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil && r.ContentLength > 0 {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	txid, err := n.obey(name, o)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	result := map[string]any{"validated": n.Height()}
	if txid != "" {
		result["txid"] = txid
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(result)
}

func (n *Node) obey(name string, o devOrder) (txid string, err error) {
	switch name {
	case "close":
		n.Close(max(o.Ledgers, 1))
	case "fund":
		return n.Fund(o.Address, o.Tag, o.Drops)
	case "partly":
		return n.PayPartly(o.Address, o.Tag, o.Drops, o.Delivered)
	case "issued":
		return n.PayIssued(o.Address, o.Tag, o.Units)
	case "vain":
		return n.PayInVain(o.Address, o.Tag, o.Drops)
	case "escrow":
		return n.FinishEscrow(o.Address, o.Drops)
	case "refuse":
		n.Refuse(o.Code, max(o.Times, 1))
	case "swallow":
		n.Swallow(max(o.Times, 1))
	case "mute":
		n.Mute(max(o.Times, 1))
	case "throttle":
		n.Throttle(max(o.Times, 1))
	case "hold":
		n.Hold(o.On)
	case "drop":
		n.Drop()
	case "down":
		n.Down(o.On)
	case "delay":
		n.Delay(time.Duration(o.MS) * time.Millisecond)
	case "lose":
		n.Lose(o.From, o.To)
	case "unsync":
		n.Unsync(o.On)
	case "load":
		n.Load(o.Drops, o.Units)
	default:
		err = fmt.Errorf("unknown order %q", name)
	}
	return "", err
}
