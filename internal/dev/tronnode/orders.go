package tronnode

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// order is the body of a question under /dev/.
type devOrder struct {
	Blocks  int    `json:"blocks"`
	Depth   int    `json:"depth"`
	Lose    bool   `json:"lose"`
	Address string `json:"address"`
	Sun     int64  `json:"sun"`
	Token   string `json:"token"`
	Units   int64  `json:"units"`
	Code    string `json:"code"`
	Times   int    `json:"times"`
	On      bool   `json:"on"`
	MS      int    `json:"ms"`
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
	result, err := n.obey(name, o)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	write(w, result)
}

func (n *Node) obey(name string, o devOrder) (object, error) {
	var err error
	var txid string
	switch name {
	case "mine":
		n.Mine(max(o.Blocks, 1))
	case "solidify":
		n.Solidify()
	case "reorganise":
		err = n.Reorganise(o.Depth, o.Lose)
	case "fund":
		txid, err = n.Fund(o.Address, o.Sun)
	case "pay":
		txid, err = n.Pay(o.Token, o.Address, o.Units)
	case "refuse":
		err = n.Refuse(o.Code, max(o.Times, 1))
	case "swallow":
		n.Swallow(max(o.Times, 1))
	case "mute":
		n.Mute(max(o.Times, 1))
	case "busy":
		n.Busy(max(o.Times, 1))
	case "throttle":
		n.Throttle(max(o.Times, 1))
	case "later":
		n.Later(time.Duration(o.MS) * time.Millisecond)
	case "asset":
		txid, err = n.ShowAsset(o.Address, o.Units)
	case "stall":
		n.Stall(o.On)
	case "factor":
		n.SetFactor(o.Units)
	case "hold":
		n.Hold(o.On)
	case "drop":
		n.Drop()
	case "down":
		n.Down(o.On)
	case "delay":
		n.Delay(time.Duration(o.MS) * time.Millisecond)
	default:
		err = fmt.Errorf("unknown order %q", name)
	}
	newest, solid := n.Height()
	return object{"newest": newest, "solid": solid}.text("txid", txid), err
}
