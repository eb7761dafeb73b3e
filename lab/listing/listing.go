// Package listing describes algorithms: all in a table, each on a page, or as JSON. It reads nothing but
// their descriptions.
//
//	listing.WriteTable(os.Stdout, catalog.All(), listing.Page{Width: 80})
//	listing.WritePages(os.Stdout, catalog.All(), listing.Page{Width: 80})
package listing

import (
	"encoding/json"
	"io"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// listed is the JSON form of an algorithm.
type listed struct {
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

// WriteJSON writes algorithms as a JSON array, an object each.
func WriteJSON(w io.Writer, algorithms []*election.Algorithm) error {
	all := []listed{}
	for _, a := range algorithms {
		params := []param{}
		for _, p := range a.Params {
			params = append(params, param{p.Name, p.About, p.Default})
		}
		all = append(all, listed{
			Algorithm: a.Name, Variant: a.Variant, Title: a.Title(), Summary: a.Summary, Source: a.Source,
			Topology: string(a.Topology), TwoWay: twoWay(a), Winner: a.Wins(),
			NeedsFIFO: a.NeedsFIFO, LateStart: string(a.LateStart),
			Best: formula(a.Best), BestWhen: a.Best.When, BestAlso: a.Best.Also, Mean: formula(a.Mean),
			Worst: formula(a.Worst), WorstWhen: a.Worst.When, WorstAlso: a.Worst.Also, Kinds: kinds(a),
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

// formula returns how people write a bound, nil where no closed form is known.
func formula(b cost.Bound) *string {
	if b.Formula == "" {
		return nil
	}
	return &b.Formula
}

// kinds returns the names of the kinds of messages.
func kinds(a *election.Algorithm) []string {
	names := []string{}
	for _, k := range a.Kinds {
		names = append(names, k.Name)
	}
	return names
}

// links says what a topology is.
func links(shape election.Shape, oneWay bool) string {
	switch {
	case shape != election.Ring:
		return string(shape)
	case oneWay:
		return "one-way ring"
	}
	return "two-way ring"
}
