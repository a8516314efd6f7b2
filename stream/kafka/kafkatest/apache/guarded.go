package apache

import (
	"fmt"
	"strings"
)

// guarded makes clients log in with SASL PLAIN and gives them the rights that they were
// granted. The broker talks with itself on INNER, where all may do everything.
const guarded = `
listeners=CLIENT://@ADDR@,INNER://@INNER@,CONTROLLER://@CONTROLLER@
advertised.listeners=CLIENT://@ADVERTISED@,INNER://@INNER@
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.client.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required @USERS@;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:@SUPER@;User:ANONYMOUS
`

// NewGuarded prepares a broker as New does, to which clients log in with SASL PLAIN, as
// one of users, with the password. One user is super and may do everything, the others
// what they are granted.
func NewGuarded(super, password string, users ...string) (*Broker, error) {
	var all []string
	for _, user := range append(users, super) {
		all = append(all, fmt.Sprintf("user_%s=%q", user, password))
	}
	settings := strings.NewReplacer("@SUPER@", super, "@USERS@", strings.Join(all, " ")).Replace(guarded)
	brokers, err := prepare(1, "", settings)
	if err != nil {
		return nil, err
	}
	return brokers[0], nil
}
