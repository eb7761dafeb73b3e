module github.com/go-election/election/page

go 1.26

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/go-election/election v0.0.0
	github.com/stretchr/testify v1.12.1
)

require github.com/go-json-experiment/json v0.0.0-20260214004413-d219187c3433 // indirect
