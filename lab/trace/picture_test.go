package trace_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// elections are those of shown, once they have been simulated. Tests do not change them.
var elections map[string]*trace.Trace

// shown are small elections, some with faults.
func shown(t *testing.T) map[string]*trace.Trace {
	t.Helper()
	if elections != nil {
		return maps.Clone(elections)
	}
	runs := map[string]*trace.Trace{}
	for _, a := range catalogtest.Resting() {
		runs[a.Title()] = simulated(t, sim.Config{Input: inputOf(t, a)})
		c := faulty(t, a)
		c.Force = true
		c.Until = 12 * scenario.Unit
		r, err := trace.NewRecorder(&c.Input, trace.About{Seed: c.Seed})
		require.NoError(t, err)
		c.Observe = r.Observe
		_, _ = sim.Run(t.Context(), c)
		runs[a.Title()+", faulty"] = r.Trace()
	}
	elections = maps.Clone(runs)
	return runs
}

func drawn(t *testing.T, tr *trace.Trace, write func(io.Writer, *trace.Trace) error) string {
	t.Helper()
	var b, again bytes.Buffer
	require.NoError(t, write(&b, tr))
	require.NoError(t, write(&again, tr))
	require.Equal(t, b.String(), again.String(), "the same each time")
	return b.String()
}

func svgOf(w io.Writer, tr *trace.Trace) error     { return trace.WriteSVG(w, tr) }
func mermaidOf(w io.Writer, tr *trace.Trace) error { return trace.WriteMermaid(w, tr) }

// fact writes a message as all tests of pictures do: 3 to 5 lost: probe 3.
func fact(from, to, fate, text string) string {
	return fmt.Sprintf("%s to %s%s: %s", from, to, fate, text)
}

var (
	logLine  = regexp.MustCompile(`^ *([0-9.]+|end) +(\d+)\.\d+  (.*)$`)
	logSends = regexp.MustCompile(`^sends (.*) to (\d+)$`)
	logRecv  = regexp.MustCompile(`^(receives|loses) (.*) from (\d+)(?: to (\d+))?(?: \(\d+\.\d+\))?$`)
	logNot   = regexp.MustCompile(`^(.*) to (\d+) is not received$`)
	svgTitle = regexp.MustCompile(`<g class="(?:message|mark)"><title>([^<]*)</title>`)
	mmdNote  = regexp.MustCompile(`^    Note over p(\d+)(?:,p\d+)?: (.*)$`)
	mmdMany  = regexp.MustCompile(`^(.*) \((\d+(?:, \d+)+)\)$`)
	arrow    = regexp.MustCompile(`^\d+ to `)
	mmdArrow = regexp.MustCompile(`^    p(\d+)(->>|--x|--\))p(\d+): (.*)$`)
)

func factsOfLog(t *testing.T, text string) (facts []string) {
	t.Helper()
	for line := range strings.Lines(text[strings.Index(text, "\n")+1:]) {
		m := logLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		require.NotNil(t, m, line)
		if r := logRecv.FindStringSubmatch(m[3]); r != nil && r[1] == "receives" {
			facts = append(facts, fact(r[3], m[2], "", r[2]))
		} else if r != nil {
			facts = append(facts, fact(r[3], r[4], ", lost", r[2]))
		} else if r := logNot.FindStringSubmatch(m[3]); m[1] == "end" {
			facts = append(facts, fact(m[2], r[2], ", not received", r[1]))
		} else if !logSends.MatchString(m[3]) {
			facts = append(facts, m[2]+": "+m[3])
		}
	}
	return facts
}

func factsOfMermaid(t *testing.T, text string) (facts []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := mmdArrow.FindStringSubmatch(line); m != nil {
			fate := map[string]string{"->>": "", "--x": ", lost", "--)": ", not received"}[m[2]]
			said := strings.TrimSuffix(strings.TrimSuffix(m[4], " (lost)"), " (not received)")
			facts = append(facts, fact(m[1], m[3], fate, said))
		} else if m := mmdNote.FindStringSubmatch(line); m != nil {
			if many := mmdMany.FindStringSubmatch(m[2]); many != nil {
				for id := range strings.SplitSeq(many[2], ", ") {
					facts = append(facts, id+": "+many[1])
				}
				continue
			}
			for said := range strings.SplitSeq(m[2], "<br/>") {
				facts = append(facts, m[1]+": "+said)
			}
		} else {
			require.Regexp(t, `^sequenceDiagram$|^    (autonumber|participant|%%) `, line)
		}
	}
	return facts
}

func factsOfSVG(t *testing.T, text string) (facts []string) {
	t.Helper()
	for _, m := range svgTitle.FindAllStringSubmatch(text, -1) {
		var plain string
		require.NoError(t, xml.Unmarshal([]byte("<a>"+m[1]+"</a>"), &plain))
		if begins, ok := strings.CutSuffix(plain, "begins, rejoins"); ok { // one mark
			facts = append(facts, begins+"rejoins")
			plain = begins + "begins"
		}
		facts = append(facts, plain)
	}
	return facts
}

// TestAllTellTheSame: the log contains every event of the trace. The sequence diagram and the space-time diagram show
// every message as the log has it, and nothing that the log does not have.
func TestAllTellTheSame(t *testing.T) {
	for name, tr := range shown(t) {
		want := factsOfLog(t, drawn(t, tr, trace.WriteLog))
		messages := 0
		for _, f := range want {
			if arrow.MatchString(f) {
				messages++
			}
		}
		arrived := 0
		count := map[observe.What]int{}
		for i := range tr.Events {
			count[tr.Events[i].Do]++
		}
		arrived = count[observe.Deliver] + count[observe.Lose]
		require.Equal(t, max(arrived, count[observe.Send]+count[observe.Duplicate]), messages, name)
		marks := len(tr.Events) - count[observe.Send] - arrived
		require.LessOrEqual(t, len(want)-messages, marks, name)
		require.GreaterOrEqual(t, len(want)-messages, marks-count[observe.Stop]-count[observe.StopAll], name)

		var svg, mermaid bytes.Buffer
		require.NoError(t, trace.WriteSVG(&svg, tr))
		if err := trace.WriteMermaid(&mermaid, tr); err != nil {
			require.ErrorIs(t, err, trace.ErrTooLarge)
			require.Greater(t, len(want), trace.MostMessages, name)
			continue // the picture is an overview
		}
		for _, facts := range [][]string{
			factsOfMermaid(t, drawn(t, tr, mermaidOf)), factsOfSVG(t, drawn(t, tr, svgOf)),
		} {
			require.Subset(t, want, facts, name)
			onlyMessages := func(facts []string) []string {
				facts = slices.DeleteFunc(slices.Clone(facts), func(f string) bool { return !arrow.MatchString(f) })
				slices.Sort(facts)
				return facts
			}
			require.Equal(t, onlyMessages(want), onlyMessages(facts), name)
		}
	}
}

// TestArrowsHaveTheNumbersOfTheirSteps: the log of the steps and the sequence diagram, whose numbers are
// counted here as Mermaid does, give a message the same number; none has one that never arrives.
func TestArrowsHaveTheNumbersOfTheirSteps(t *testing.T) {
	steps := regexp.MustCompile(`^ *(\d+)\. +(\d+)\.\d+  (.*)$`)
	jumps, ends := 0, 0
	for name, tr := range shown(t) {
		var mermaid bytes.Buffer
		if err := trace.WriteMermaid(&mermaid, tr); err != nil {
			require.ErrorIs(t, err, trace.ErrTooLarge)
			continue
		}
		var want, got []string
		for line := range strings.Lines(drawn(t, tr, func(w io.Writer, tr *trace.Trace) error {
			return trace.WriteSteps(w, tr, false)
		})) {
			m := steps.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil {
				continue
			}
			if r := logRecv.FindStringSubmatch(m[3]); r != nil {
				to := m[2]
				if r[1] == "loses" {
					to = r[4]
				}
				want = append(want, fmt.Sprintf("%s: %s to %s", m[1], r[3], to))
			}
		}
		number, counts := 0, false
		for line := range strings.Lines(mermaid.String()) {
			line = strings.TrimSuffix(line, "\n")
			if text, ok := strings.CutPrefix(line, "    autonumber "); ok {
				var err error
				if number, err = strconv.Atoi(text); err != nil {
					require.Equal(t, "off", text)
					ends++
				}
				counts = err == nil
				jumps++
			} else if m := mmdArrow.FindStringSubmatch(line); m != nil {
				require.Equal(t, counts, m[2] != "--)", line)
				if counts {
					got = append(got, fmt.Sprintf("%d: %s to %s", number, m[1], m[3]))
					number++
				}
			}
		}
		require.Equal(t, want, got, name)
	}
	require.Greater(t, jumps, 50)
	require.Greater(t, ends, 1)
}

// TestNumbersSpareTimes: the number of a moment stands next to its mark, and not on a time of the axis.
func TestNumbersSpareTimes(t *testing.T) {
	for name, tr := range shown(t) {
		var b bytes.Buffer
		if trace.WriteSVG(&b, tr) != nil {
			continue // too large
		}
		all := elements(t, b.String())
		for i := range all {
			number := &all[i]
			if number.attr["class"] != "number" {
				continue
			}
			from, to := number.reach(t)
			for k := range all {
				other := &all[k]
				if other.attr["text-anchor"] != "end" || other.name != "text" {
					continue // only times end at the axis
				}
				left, right := other.reach(t)
				y := number.number(t, "y") - other.number(t, "y")
				require.False(t, from < right && left < to && -9 < y && y < 9, "%s: %s covers %s", name, number.text, other.text)
			}
		}
	}
}

// element is one of an SVG.
type element struct {
	name string
	attr map[string]string
	text string
}

// elements reads an SVG, which must be valid XML.
func elements(t *testing.T, text string) (all []element) {
	t.Helper()
	for dec := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += strings.TrimSpace(string(token))
			}
		}
	}
}

func (e *element) number(t *testing.T, name string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(e.attr[name], 64)
	require.NoError(t, err, "%s of %+v", name, e)
	return x
}

// reach returns from where to where a text reaches.
func (e *element) reach(t *testing.T) (from, to float64) {
	t.Helper()
	width := svg.TextWidth(e.text, e.attr["font-weight"] == "bold") * e.number(t, "font-size")
	if e.attr["textLength"] != "" {
		width = e.number(t, "textLength")
	}
	x := e.number(t, "x")
	switch e.attr["text-anchor"] {
	case "middle":
		return x - width/2, x + width/2
	case "end":
		return x - width, x
	}
	return x, x + width
}

// TestSVG: valid XML, all within the picture, and names and labels do not overlap.
func TestSVG(t *testing.T) {
	runs := shown(t)
	large := scenario.Input{IDs: []election.ID{1<<64 - 1, 1<<64 - 2, 7}, Priorities: []uint64{1, 1 << 63, 3}}
	large.Algorithm, _ = catalog.Find("lcr", "")
	runs["large ids"] = simulated(t, sim.Config{Input: large})
	one := scenario.Input{IDs: numbered(1)}
	one.Algorithm, _ = catalog.Find("hs", "")
	runs["alone"] = simulated(t, sim.Config{Input: one})
	drawnSome := 0
	for name, tr := range runs {
		var b bytes.Buffer
		if err := trace.WriteSVG(&b, tr); err != nil {
			continue // too large
		}
		drawnSome++
		var width, height float64
		type place struct{ from, to, y float64 }
		taken := map[string][]place{}
		for _, e := range elements(t, b.String()) {
			switch e.name {
			case "svg":
				_, err := fmt.Sscanf(e.attr["viewBox"], "0 0 %f %f", &width, &height)
				require.NoError(t, err)
			case "text":
				if e.attr["transform"] != "" { // written upwards
					taken[e.attr["class"]] = append(taken[e.attr["class"]], place{-1, -1, -1})
					continue
				}
				from, to := e.reach(t)
				y := e.number(t, "y")
				require.True(t, from >= 0 && to <= width && y > 10 && y <= height, "%s: %q at %v", name,
					e.text, e.attr)
				for _, o := range taken[e.attr["class"]] {
					require.False(t, from < o.to && o.from < to && y-9 < o.y && o.y-9 < y,
						"%s: %q overlaps at %v, %v", name, e.text, from, y)
				}
				if class := e.attr["class"]; class != "" {
					taken[class] = append(taken[class], place{from, to, y})
				}
			case "line":
				for _, end := range []string{"1", "2"} {
					x, y := e.number(t, "x"+end), e.number(t, "y"+end)
					require.True(t, x >= 0 && x <= width && y >= 0 && y <= height, "%s: %v", name, e.attr)
				}
			}
		}
		require.Len(t, taken["process"], len(tr.Header.Scenario.IDs), name)
	}
	require.Greater(t, drawnSome, 20)
}

// TestTooLarge: what is not legible is refused, in one line; the log is not.
func TestTooLarge(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	large := func(n int) *trace.Trace {
		return simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(n)}})
	}
	require.ErrorIs(t, mermaidOf(io.Discard, large(trace.MostProcesses+1)), trace.ErrTooLarge)
	tr := large(trace.MostLanes + 1)
	err = svgOf(io.Discard, tr)
	require.ErrorIs(t, err, trace.ErrTooLarge)
	require.ErrorIs(t, err, election.ErrInput)
	require.NotContains(t, err.Error(), "\n")
	require.NoError(t, trace.WriteLog(io.Discard, tr))
}

// TestWordsOfADetector: the log names the process, not the port, and the picture has a sign for each word.
func TestWordsOfADetector(t *testing.T) {
	for _, algorithm := range []string{"bully", "dkr"} { // on a one-way ring behind both ports, too
		a, err := catalog.Find(algorithm, "")
		require.NoError(t, err)
		in := scenario.Input{Algorithm: a, IDs: []election.ID{7, 5, 9}, Initiators: []election.ID{}}
		r, err := trace.NewRecorder(&in, trace.About{})
		require.NoError(t, err)
		s, err := sim.New(sim.Config{Input: in, Observe: r.Observe})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		for _, op := range []election.Op{election.Suspect, election.Trust} {
			s.Post(1, election.Event{Op: op, Port: 0})
			s.Post(1, election.Event{Op: op, Port: 1})
		}
		log := drawn(t, r.Trace(), trace.WriteLog)
		ports := map[string]string{"bully": "7 9", "dkr": "9 7"}[algorithm]
		for id := range strings.FieldsSeq(ports) {
			for _, words := range []string{"suspects " + id, "trusts " + id} {
				require.Contains(t, log, "  "+words+"\n")
				require.Contains(t, drawn(t, r.Trace(), mermaidOf), words)
			}
		}
		svg := drawn(t, r.Trace(), svgOf)
		for _, sign := range []string{"suspects", "trusts"} {
			require.Contains(t, svg, ">"+sign+"</text>")
		}
		require.NotContains(t, svg, ">else</text>")
	}
	none := &trace.Trace{Header: trace.Header{Scenario: scenario.Scenario{IDs: []election.ID{7}}},
		Events: []trace.Event{
			{Process: 7, Seq: 1, Do: observe.Suspect, Port: 3}}}
	require.Contains(t, drawn(t, none, trace.WriteLog), "suspects the process behind port 3\n")
}

// TestOverviewIsLegible: in the picture of a large network no numbered moment covers the name of a process,
// and the legend has what occurs.
func TestOverviewIsLegible(t *testing.T) {
	for _, name := range []string{"lcr", "bully"} {
		for _, crash := range []bool{false, true} {
			a, err := catalog.Find(name, "")
			require.NoError(t, err)
			c := sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(64)}}
			if crash {
				c.CrashAt = []scenario.At{{ID: 9, Time: scenario.Unit / 2}}
			}
			var b bytes.Buffer
			require.NoError(t, trace.WriteSVG(&b, simulated(t, c)))
			type place struct{ from, to, y float64 }
			var ids, moments []place
			signs := make(map[string]bool)
			for _, e := range elements(t, b.String()) {
				switch {
				case e.name == "text" && e.attr["class"] == "process":
					from, to := e.reach(t)
					ids = append(ids, place{from, to, e.number(t, "y")})
				case e.name == "text":
					signs[e.text] = true
				case e.name == "circle" && e.number(t, "r") > 6:
					x, r := e.number(t, "cx"), e.number(t, "r")
					moments = append(moments, place{x - r, x + r, e.number(t, "cy") - r})
				}
			}
			require.NotEmpty(t, ids)
			require.NotEmpty(t, moments)
			for _, m := range moments {
				for _, id := range ids {
					require.False(t, m.from < id.to && id.from < m.to && m.y < id.y && id.y < m.y+20,
						"%s: %v over %v", name, m, id)
				}
			}
			require.True(t, signs["follows"] || crash)
			require.Equal(t, crash, signs["is down"], name)
		}
	}
}
