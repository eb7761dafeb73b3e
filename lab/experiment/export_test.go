package experiment

// Pending returns the waiting times of the processes but the coordinator, by their order, as trial i
// draws them.
func Pending(r Redundancy, m Model, i int, t Ties) []float64 {
	c := r.draw(m, i)
	var times []float64
	for _, id := range c.ids[:len(c.ids)-1] {
		times = append(times, c.pending[t][uint64(id)])
	}
	return times
}
