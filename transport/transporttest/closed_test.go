package transporttest

import (
	"context"
	"errors"

	"github.com/go-election/election"
)

func brokenPartings() map[string]broken {
	return map[string]broken{
		"drops on Close what it has taken": {
			spoilt: spoilt{close: func(w *wire) error {
				for _, to := range w.net.ends {
					for range len(to.in) {
						select {
						case p := <-to.in:
							if p.From != w.self {
								to.in <- p
							}
						default:
						}
					}
				}
				return w.Close()
			}},
			want: map[string]string{
				"Parting": "packets are lost: 50 of 50 that Send had taken before Close, which " +
					"Options{Abrupt: true} allows for, never arrived",
			},
		},
		"sends what it refuses": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				err := w.Send(ctx, p)
				if to := w.net.ends[p.To]; to != nil && errors.Is(err, election.ErrClosed) {
					select {
					case to.in <- p:
					default:
					}
				}
				return err
			}},
			want: map[string]string{
				"Parting": "process 9223372036854775815 received packet 1 of those that Send refused " +
					"after Close",
			},
		},
	}
}

func brokenCloses() map[string]broken {
	return map[string]broken{
		"leaves a goroutine": {
			spoilt: spoilt{close: func(w *wire) error {
				go func() { <-w.net.stop }()
				return w.Close()
			}},
			want: map[string]string{
				"Goroutines": "goroutines are left after Close: 4 in " +
					"github.com/go-election/election/transport/transporttest.brokenCloses.func",
			},
		},
		"blocks on Close": {
			spoilt: spoilt{close: func(w *wire) error {
				_ = w.Close()
				<-w.net.stop
				return nil
			}},
			want: map[string]string{
				"ClosedPeer": "stuck: Close has not returned after 10s",
				"CloseRecv":  "stuck: Close of process 1 while Recv waits has not returned after 10s",
				"CloseSend":  "stuck: Close of process 1 while Send is called has not returned",
				"Parting":    "stuck: Close of process 1 after Send has not returned",
				"CloseAgain": "stuck: Close of process 1",
				"Goroutines": "goroutines are left after Close: 4 in",
			},
		},
		"does not wake Recv": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				select {
				case <-w.closed:
					return election.Packet{}, w.gone()
				default:
				}
				select {
				case p := <-w.in:
					return p, nil
				case <-ctx.Done():
					return election.Packet{}, ctx.Err()
				}
			}},
			want: map[string]string{
				"CloseRecv": "stuck: Recv that waits when its transport is closed has not returned after 10s",
			},
		},
		"sends after Close": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if err := w.Send(ctx, p); !errors.Is(err, election.ErrClosed) {
					return err
				}
				return nil
			}},
			want: map[string]string{
				"Parting": "Send after Close returned no error",
				"CloseRecv": "Send after Close returned no error, where one that wraps " +
					"election.ErrClosed is due",
				"CloseSend":  "Send after Close returned no error",
				"CloseAgain": "Send after Close returned no error",
			},
		},
	}
}

func brokenClosed() map[string]broken {
	return map[string]broken{
		"says something else when closed": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				p, err := w.Recv(ctx)
				if errors.Is(err, election.ErrClosed) {
					err = errors.New("gone fishing")
				}
				return p, err
			}},
			want: map[string]string{
				"CloseRecv":  `Recv that waits when its transport is closed returned "gone fishing", which does not wrap election.ErrClosed`,
				"CloseSend":  `Recv after Close returned "gone fishing", which does not wrap`,
				"CloseAgain": `Recv after Close returned "gone fishing", which does not wrap`,
			},
		},
		"panics when closed again": {
			spoilt: spoilt{close: func(w *wire) error {
				close(w.closed)
				return nil
			}},
			want: map[string]string{
				"CloseAgain": "Close of process 1 for the second time: stuck: panic: close of closed channel",
			},
		},
		"closes everything": {
			spoilt: spoilt{close: func(w *wire) error {
				for _, end := range w.net.ends {
					_ = end.Close()
				}
				return nil
			}},
			want: map[string]string{
				"Parting":    "process 9223372036854775815 receives no more: election: closed",
				"ClosedPeer": "which is closed, gave \"election: closed",
				"CloseRecv":  "election: closed",
				"CloseAgain": "between others than those that are closed: ",
			},
		},
	}
}
