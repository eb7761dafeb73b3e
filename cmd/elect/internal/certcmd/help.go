package certcmd

const long = `Makes certificates with which the members of elect lead know each other. elect
cert ca writes ca.pem and ca.key.pem: the authority, and the key by which it
signs. elect cert member writes NAME.pem and NAME.key.pem for each member, for
the identity spiffe://GROUP/NAME. GROUP is --group, here and for elect lead, and
lead by default. It prints the files, the group, and until when they are valid.

Each member gets ca.pem, its own certificate and its own key. Keep ca.key.pem
away from the members: its holder can be any of them. Members load new files
while they run, so a certificate is renewed by elect cert member before it ends.

These are for trying out, and for services that have no certificate authority of
their own.`

const examples = `  elect cert ca
  elect cert member --group lead a b c
  elect lead --self a --member a=127.0.0.1:7946 --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem \
    --once -- env`
