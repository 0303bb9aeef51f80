package main

import (
	"bytes"
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"causeway/chains"
	"causeway/internal/cli/settings"
)

// nodesPoll is the time between two looks at NETWORKS_FILE.
const nodesPoll = 3 * time.Second

// nodesWatch has the nodes of NETWORKS_FILE asked by a running process. Other settings there take a restart.
type nodesWatch struct {
	*service
	content []byte              // of the file, as it was read last
	failed  string              // why it could not be read
	nodes   map[string][]string // asked now, by network
	beyond  string              // settings that differ from those of the process, as they were named last
}

// watchNodes reads NETWORKS_FILE again and again, until ctx ends.
func (h *service) watchNodes(ctx context.Context) {
	if h.settings.NetworksFile == "" {
		return
	}
	w := h.newNodesWatch()
	tick := time.NewTicker(nodesPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look()
		}
	}
}

func (h *service) newNodesWatch() *nodesWatch {
	w := &nodesWatch{service: h, nodes: map[string][]string{}}
	for _, c := range h.file.Live {
		w.nodes[c.Name] = c.Nodes
	}
	return w
}

// look takes the nodes over if the file was changed. A file that cannot be used changes nothing, and is named once.
func (w *nodesWatch) look() {
	content, err := os.ReadFile(w.settings.NetworksFile)
	if err == nil && bytes.Equal(content, w.content) && w.failed == "" {
		return
	}
	var file *settings.NetworksFile
	if err == nil {
		file, err = w.settings.ReadNetworks()
	}
	if err != nil {
		if why := err.Error(); why != w.failed {
			w.failed = why
			w.log.WithError(err).Warn("NETWORKS_FILE was changed and cannot be used: the former nodes are asked")
		}
		return
	}
	w.content, w.failed = content, ""
	w.take(file)
}

// take has the nodes of a file asked, and names everything else that differs from the settings of this process.
func (w *nodesWatch) take(file *settings.NetworksFile) {
	var beyond []string
	for _, c := range file.Live {
		i := slices.IndexFunc(w.file.Live, func(running *chains.Configured) bool { return running.Name == c.Name })
		if i < 0 || !reflect.DeepEqual(w.file.Live[i].Settings, c.Settings) {
			beyond = append(beyond, c.Name)
		}
		if n, open := w.networks.Network(c.Name); i >= 0 && open && n.Replace != nil && !slices.Equal(w.nodes[c.Name], c.Nodes) {
			w.nodes[c.Name] = c.Nodes
			n.Replace(c.Nodes)
			w.log.WithField("network", c.Name).WithField("nodes", len(c.Nodes)).Info("other nodes are asked from now on")
		}
	}
	for _, running := range w.file.Live {
		if !slices.Contains(file.Names(), running.Name) {
			beyond = append(beyond, running.Name)
		}
	}
	if !reflect.DeepEqual(file.Signer, w.file.Signer) {
		beyond = append(beyond, "signer")
	}
	if names := strings.Join(beyond, ", "); names != w.beyond {
		if w.beyond = names; names != "" {
			w.log.WithField("changed", names).Warn("NETWORKS_FILE was changed beyond rpc: that holds after a restart of every role")
		}
	}
}
