package apache

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// guarded are settings for SASL PLAIN logins with granted permissions. The broker uses the listener
// INNER itself, where all clients have all permissions.
const guarded = `
listeners=CLIENT://@ADDR@,INNER://@INNER@,CONTROLLER://@CONTROLLER@
advertised.listeners=CLIENT://@ADVERTISED@,INNER://@INNER@
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.client.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required @USERS@;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:@SUPER@;User:ANONYMOUS
`

// NewGuarded prepares a broker like New with SASL PLAIN logins of users and the password. The user
// super has all permissions, others those that they are granted.
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

// bearers are settings for SASL OAUTHBEARER logins by unsigned tokens. The broker disconnects
// clients that do not log in again in time.
const bearers = `
listeners=CLIENT://@ADDR@,INNER://@INNER@,CONTROLLER://@CONTROLLER@
advertised.listeners=CLIENT://@ADVERTISED@,INNER://@INNER@
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=OAUTHBEARER
listener.name.client.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
listener.name.client.oauthbearer.connections.max.reauth.ms=@REAUTH@
`

// NewBearers prepares a broker like New with SASL OAUTHBEARER logins by unsigned JSON web tokens.
// Clients must log in again after session.
func NewBearers(session time.Duration) (*Broker, error) {
	brokers, err := prepare(1, "", strings.NewReplacer("@REAUTH@", strconv.FormatInt(session.Milliseconds(), 10)).Replace(bearers))
	if err != nil {
		return nil, err
	}
	return brokers[0], nil
}
