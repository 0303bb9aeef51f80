package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestASoakTellsWhatGrows(t *testing.T) {
	steady := []float64{20, 40, 50, 52, 51, 50, 53, 52, 51, 50, 54, 52}
	growing := []float64{20, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140}
	s := newSoak(0)
	s.held = map[string][]float64{"api, MB of memory": steady, "worker-1, MB of memory": growing, "worker-1, goroutines": growing,
		"PostgreSQL, MB on disk": growing, "api, goroutines": {1, 1}}
	r := &report{Done: map[string]any{}, position: map[string]int{}}
	s.judge(r)
	assert.Equal(t, []finding{{Check: checkFlat, Times: 3, Examples: []string{
		"api, goroutines was seen too seldom to say so", "worker-1, MB of memory: 80.0, then 130.0", "worker-1, goroutines: 80.0, then 130.0"}}}, r.Wrong)
	assert.Equal(t, "52.0, then 52.0", r.Done["soak: api, MB of memory"])
	assert.Equal(t, "80.0, then 130.0", r.Done["soak: PostgreSQL, MB on disk"], "it is told, and may grow")
}
