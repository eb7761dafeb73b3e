package tcp

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// resolve returns the address to dial.
func (p *peer) resolve(ctx context.Context) (string, error) {
	n := p.net
	address, _ := p.dialable()
	if n.config.Resolve == nil {
		return address, nil
	}
	limited, stop := context.WithTimeout(ctx, n.config.Timeout/2) // so that some time is left for the other address
	defer stop()
	found, err := n.config.Resolve(limited, p.name)
	if err == nil {
		err = n.config.checkAddress(found, false)
	}
	switch {
	case err == nil:
		return found, nil
	case address == "":
		return "", fmt.Errorf("resolve: %w", err)
	}
	if n.first("resolve " + p.name) {
		n.log.Warn("the address is not resolved, so the last one known is used", "peer", p.name, "address", address,
			"err", err)
	}
	return address, nil
}

// DNS returns a function for Config.Resolve that looks up the addresses of name.domain, and returns the first one with
// this port. A domain that ends with a dot is absolute. The pods of a StatefulSet, for instance, have names below
// the name of its headless service.
func DNS(domain string, port int) func(ctx context.Context, name string) (address string, err error) {
	return hosts(net.DefaultResolver, domain, port)
}

func hosts(r *net.Resolver, domain string, port int) func(context.Context, string) (string, error) {
	return func(ctx context.Context, name string) (string, error) {
		found, err := r.LookupHost(ctx, name+"."+domain)
		if err != nil {
			return "", err
		}
		return net.JoinHostPort(found[0], strconv.Itoa(port)), nil
	}
}

// SRV returns a function for Config.Resolve that looks up the SRV records of a service, such as
// _election._tcp.example.org, and returns the target and the port of the record whose target is the name or has it as
// its first label.
func SRV(service string) func(ctx context.Context, name string) (address string, err error) {
	return services(net.DefaultResolver, service)
}

func services(r *net.Resolver, service string) func(context.Context, string) (string, error) {
	return func(ctx context.Context, name string) (string, error) {
		_, records, err := r.LookupSRV(ctx, "", "", service)
		if err != nil {
			return "", err
		}
		for _, record := range records {
			target := strings.TrimSuffix(record.Target, ".")
			first, _, _ := strings.Cut(target, ".")
			if strings.EqualFold(first, name) || strings.EqualFold(target, name) {
				return net.JoinHostPort(target, strconv.Itoa(int(record.Port))), nil
			}
		}
		return "", fmt.Errorf("no SRV record of %s has target %s", service, name)
	}
}
