package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// row is the row of a cell in the report.
type row struct {
	fault           string
	n               int
	durable, secure bool
	trials          int
	measured        bool // vacant and changes are known; not in cells that expect two leaders
	vacant, changes [3]int64
	changed         bool // agreed is known: the members change
	agreed          [3]int64
	late, busy      int
	accepted        int
	refused         int
	failed          string
}

// columns are the columns of the file of rows.
var columns = []string{"fault", "n", "dir", "tls", "trials", "no_leader_ms_min", "no_leader_ms_median", "no_leader_ms_max",
	"changes_min", "changes_median", "changes_max", "agreed_ms_min", "agreed_ms_median", "agreed_ms_max", "late", "busy", "writes_accepted", "writes_refused", "failed"}

// rowsOf returns a row for each result.
func rowsOf(results []*result) (rows []row) {
	for _, r := range results {
		cell := row{fault: r.fault.name, n: r.n, durable: r.durable, secure: r.secure, trials: len(r.outcomes),
			measured: !r.fault.clash && len(r.outcomes) > 0, accepted: r.accepted, refused: r.refused,
			late: r.count(func(o outcome) bool { return o.Late }),
			busy: r.count(func(o outcome) bool { return o.Busy })}
		if cell.measured {
			cell.vacant = three(r.outcomes, func(o outcome) int64 { return o.Vacant.Milliseconds() })
			cell.changes = three(r.outcomes, func(o outcome) int64 { return int64(o.Changes) })
		}
		if cell.changed = r.fault.swift && len(r.outcomes) > 0; cell.changed {
			cell.agreed = three(r.outcomes, func(o outcome) int64 { return o.Agreed.Milliseconds() })
		}
		if r.err != nil {
			cell.failed = r.err.Error()
		}
		rows = append(rows, cell)
	}
	return rows
}

// record returns the fields of a row, in the order of columns.
func (r row) record() []string {
	fields := []string{r.fault, strconv.Itoa(r.n), strconv.FormatBool(r.durable), strconv.FormatBool(r.secure),
		strconv.Itoa(r.trials)}
	for i, values := range [][3]int64{r.vacant, r.changes, r.agreed} {
		for _, v := range values {
			text := ""
			if i < 2 && r.measured || r.changed {
				text = strconv.FormatInt(v, 10)
			}
			fields = append(fields, text)
		}
	}
	for _, v := range []int{r.late, r.busy, r.accepted, r.refused} {
		fields = append(fields, strconv.Itoa(v))
	}
	return append(fields, r.failed)
}

// details returns all rows as comma-separated values.
func details(rows []row) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(columns) // a strings.Builder returns no errors
	for _, r := range rows {
		_ = w.Write(r.record())
	}
	w.Flush()
	return b.String()
}

// table returns a summary in Markdown, with a line for each fault.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| fault | cells | trials | no leader, ms: medians of the cells | longest | changes of leader, at most | " +
		"until agreed, ms | late | busy | writes refused | violations |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].fault == rows[0].fault {
			n++
		}
		b.WriteString(line(rows[:n]))
		rows = rows[n:]
	}
	return b.String()
}

// line returns the line of a fault, which has these cells.
func line(cells []row) string {
	var trials, late, busy, refused, failed int
	var medians, agreed []int64
	var longest, changes int64
	for _, r := range cells {
		trials, late, busy, refused = trials+r.trials, late+r.late, busy+r.busy, refused+r.refused
		if r.measured {
			medians = append(medians, r.vacant[1])
			longest, changes = max(longest, r.vacant[2]), max(changes, r.changes[2])
		}
		if r.changed {
			agreed = append(agreed, r.agreed[1])
		}
		if r.failed != "" {
			failed++
		}
	}
	times, violations := "- | - | -", "none"
	if len(medians) > 0 {
		times = fmt.Sprintf("%s | %d | %d", among(medians), longest, changes)
	} else {
		violations = "two leaders in each trial"
	}
	if failed > 0 {
		violations = fmt.Sprintf("**failed in %d cells**", failed)
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %d | %d | %d | %s |\n", cells[0].fault, len(cells), trials, times, among(agreed),
		late, busy, refused, violations)
}

// among returns the smallest and the largest of some values.
func among(values []int64) string {
	if len(values) == 0 {
		return "-"
	}
	least, most := slices.Min(values), slices.Max(values)
	if most > least {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return strconv.FormatInt(least, 10)
}

// count returns how many trials fulfill a condition.
func (r *result) count(so func(outcome) bool) (n int) {
	for _, o := range r.outcomes {
		if so(o) {
			n++
		}
	}
	return n
}

// three returns the smallest, the median and the largest.
func three(all []outcome, of func(outcome) int64) [3]int64 {
	sorted := slices.SortedFunc(slices.Values(all),
		func(a, b outcome) int { return cmp.Compare(of(a), of(b)) })
	return [3]int64{of(sorted[0]), of(sorted[len(sorted)/2]), of(sorted[len(sorted)-1])}
}

// The marks of the part of a file that update writes.
const (
	beginMark = "<!-- begin of what make chaos writes -->\n"
	endMark   = "<!-- end -->\n"
)

// detailsPath returns the path of the file of rows that belongs to a document.
func detailsPath(document string) string { return strings.TrimSuffix(document, ".md") + ".csv" }

// update replaces the table of a document, and the file of rows next to it. Rows of cells that were not run stay, with
// the line about the run that they are from.
func update(path string, o *options, own setup, results []*result) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), beginMark)
	before, foot, ended := strings.Cut(rest, endMark)
	if !ok || !ended {
		return fmt.Errorf("%s does not contain the marks between which the table goes", path)
	}
	kept, err := readRows(detailsPath(path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	rows, about := rowsOf(results), own.about()
	if all := merge(rows, kept); len(all) > len(rows) {
		own := fmt.Sprintf("%s: ", o.selected())
		var lines []string
		earlier, _, _ := strings.Cut(before, "\n\n|")
		for line := range strings.SplitSeq(earlier, "\n\n") {
			if !strings.HasPrefix(line, own) {
				lines = append(lines, line)
			}
		}
		rows, about = all, strings.Join(append(lines, own+strings.ToLower(about[:1])+about[1:]), "\n\n")
	}
	if err := os.WriteFile(detailsPath(path), []byte(details(rows)), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(head+beginMark+about+"\n\n"+table(rows)+endMark+foot), 0o644)
}

// about returns a sentence about a run.
func (own setup) about() string {
	text := fmt.Sprintf("A lease of %v, %d trials a cell, %d groups at a time, %d processors", own.Lease,
		own.Trials, own.Parallel, runtime.NumCPU())
	if own.Commit != "" {
		text += ", commit " + own.Commit
	}
	return text + "."
}

// selected returns which cells these options select.
func (o *options) selected() string {
	text := "Cells that can run here"
	if o.cell.String() != "" {
		text = fmt.Sprintf("Cells that match `%v`", o.cell)
	}
	if o.short {
		text += ", with -short"
	}
	return text
}

// merge returns the rows of a run, and the rows of earlier ones for all other cells, in the order of faults. Rows of
// faults that are gone are left out.
func merge(own, kept []row) (all []row) {
	for _, f := range faults() {
		for _, c := range cellsOf(f) {
			for _, rows := range [][]row{own, kept} {
				i := slices.IndexFunc(rows, func(r row) bool {
					return r.fault == f.name && r.n == c.n && r.durable == c.durable && r.secure == c.secure
				})
				if i >= 0 {
					all = append(all, rows[i])
					break
				}
			}
		}
	}
	return all
}

// readRows reads a file of rows.
func readRows(path string) (rows []row, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(records) == 0 || !slices.Equal(records[0], columns) {
		return nil, fmt.Errorf("%s: the columns are not %v", path, columns)
	}
	for i, fields := range records[1:] {
		r, err := parseRow(fields)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, i+1, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// parseRow reads the fields of a row.
func parseRow(fields []string) (r row, err error) {
	r = row{fault: fields[0], durable: fields[2] == "true", secure: fields[3] == "true", measured: fields[5] != "",
		changed: fields[11] != "", failed: fields[18]}
	number := func(i int) int64 {
		v, wrong := strconv.ParseInt(fields[i], 10, 64)
		err = errors.Join(err, wrong)
		return v
	}
	for i := range r.vacant {
		if r.measured {
			r.vacant[i], r.changes[i] = number(5+i), number(8+i)
		}
		if r.changed {
			r.agreed[i] = number(11 + i)
		}
	}
	for i, to := range map[int]*int{1: &r.n, 4: &r.trials, 14: &r.late, 15: &r.busy, 16: &r.accepted, 17: &r.refused} {
		*to = int(number(i))
	}
	return r, err
}
