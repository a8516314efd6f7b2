package apache

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// guarded makes clients log in with SASL PLAIN and gives them the permissions that they were
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

// bearers makes clients log in with SASL OAUTHBEARER, by tokens that nobody signed, and
// hangs up on those that have not logged in again after a time.
const bearers = `
listeners=CLIENT://@ADDR@,INNER://@INNER@,CONTROLLER://@CONTROLLER@
advertised.listeners=CLIENT://@ADVERTISED@,INNER://@INNER@
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=OAUTHBEARER
listener.name.client.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
listener.name.client.oauthbearer.connections.max.reauth.ms=@REAUTH@
`

// NewBearers prepares a broker as New does, to which clients log in with SASL OAUTHBEARER
// and a JSON web token without a signature. After session they have to log in again.
func NewBearers(session time.Duration) (*Broker, error) {
	brokers, err := prepare(1, "", strings.NewReplacer("@REAUTH@", strconv.FormatInt(session.Milliseconds(), 10)).Replace(bearers))
	if err != nil {
		return nil, err
	}
	return brokers[0], nil
}
