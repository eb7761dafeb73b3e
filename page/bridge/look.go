package bridge

type walker struct{}
