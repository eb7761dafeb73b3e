package certcmd

const long = `Makes certificates with which the members of elect lead know each other. elect
cert ca writes ca.pem and ca.key.pem: the authority, and the key by which it
signs. elect cert member writes NAME.pem and NAME.key.pem for each member, for
the identity spiffe://GROUP/NAME. GROUP is --group, here and for elect lead, and
lead by default. It prints the files, the group, and until when they are valid.

Each member gets ca.pem, its own certificate and its own key. Keep ca.key.pem
away from the members: its holder can be any of them. Members load new files
while they run, so a certificate is renewed by elect cert member before it ends.

Members compare the identity alone, whatever the address. For clients that compare
names of hosts, such as browsers, --host adds a DNS name or an IP address.

These are for trying out, and for services that have no certificate authority of
their own.`

const examples = `  elect cert ca
  elect cert member --group lead a b c
  elect cert member --group lead --host a.example.org --host 10.0.0.1 a
  elect cert show ca.pem a.pem
  elect lead --self a --member a=127.0.0.1:7946 --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem \
    --once -- env`

const longShow = `Shows the certificates in PEM files: the name, the issuer, the identity, the DNS
names and IP addresses, when each is valid, and what it is good for: for a member,
the group and the name that elect lead needs, or else what is missing.

It does not check who has signed them. A member does when it starts.`
