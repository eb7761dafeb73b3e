package report

import (
	"encoding/json"
	"io"

	"github.com/go-election/election"
)

// listedJSON is the JSON form of an algorithm.
type listedJSON struct {
	Algorithm string   `json:"algorithm"`
	Variant   string   `json:"variant"`
	Title     string   `json:"title"`
	Summary   string   `json:"summary"`
	Source    string   `json:"source"`
	Topology  string   `json:"topology"`
	TwoWay    bool     `json:"two_way"`
	Winner    string   `json:"winner"`
	NeedsFIFO bool     `json:"needs_fifo"`
	LateStart string   `json:"late_start"`
	Best      *string  `json:"best"`
	BestWhen  string   `json:"best_when,omitempty"`
	BestAlso  string   `json:"best_also,omitempty"`
	Mean      *string  `json:"mean"`
	Worst     *string  `json:"worst"`
	WorstWhen string   `json:"worst_when,omitempty"`
	WorstAlso string   `json:"worst_also,omitempty"`
	Kinds     []string `json:"kinds"`
	Params    []param  `json:"params"`
}

// param is the JSON form of a parameter.
type param struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Default string `json:"default"`
}

// ListJSON writes algorithms as a JSON array, an object each.
func ListJSON(w io.Writer, algorithms []*election.Algorithm) error {
	all := []listedJSON{}
	for _, a := range algorithms {
		params := []param{}
		for _, p := range a.Params {
			params = append(params, param{p.Name, p.About, p.Default})
		}
		all = append(all, listedJSON{
			Algorithm: a.Name, Variant: a.Variant, Title: a.Title(), Summary: a.Summary, Source: a.Source,
			Topology: string(a.Topology), TwoWay: twoWay(a), Winner: a.Wins(),
			NeedsFIFO: a.NeedsFIFO, LateStart: string(a.LateStart),
			Best: textOrNull(a.Best.Formula), BestWhen: a.Best.When, BestAlso: a.Best.Also, Mean: textOrNull(a.Mean.Formula),
			Worst: textOrNull(a.Worst.Formula), WorstWhen: a.Worst.When, WorstAlso: a.Worst.Also, Kinds: kinds(a),
			Params: params,
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(all)
}

// twoWay reports whether messages travel both ways over the links of an algorithm.
func twoWay(a *election.Algorithm) bool { return a.TwoWay || a.Topology != election.Ring }

// kinds returns the names of the kinds of messages.
func kinds(a *election.Algorithm) []string {
	names := []string{}
	for _, k := range a.Kinds {
		names = append(names, k.Name)
	}
	return names
}

// links describes a topology.
func links(shape election.Shape, oneWay bool) string {
	switch {
	case shape != election.Ring:
		return string(shape)
	case oneWay:
		return "one-way ring"
	}
	return "two-way ring"
}
