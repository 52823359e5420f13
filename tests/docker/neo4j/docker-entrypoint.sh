#!/bin/bash
# As the official entry point: /conf is copied, NEO4J_a_b__c becomes the setting a.b_c, NEO4J_AUTH the first password.
set -euo pipefail
conf=$NEO4J_HOME/conf/neo4j.conf

if [ "$1" = neo4j ]; then
  [ ! -d /conf ] || cp /conf/* "$NEO4J_HOME/conf/"
  touch "$conf"
  for variable in $(compgen -e NEO4J_); do
    case $variable in NEO4J_AUTH | NEO4J_HOME | NEO4J_CONF | NEO4J_PASSWORD) continue ;; esac
    setting=$(sed -e 's/^NEO4J_//' -e 's/_/./g' -e 's/\.\./_/g' <<<"$variable")
    sed -i "/^${setting//./\\.}=/d" "$conf"
    echo "$setting=${!variable}" >>"$conf"
  done
  if ! grep -q '^server.default_listen_address=' "$conf"; then
    echo server.default_listen_address=0.0.0.0 >>"$conf"
  fi
  chown -R neo4j:neo4j /data /logs "$NEO4J_HOME/conf"
  if [ "${NEO4J_AUTH:-}" = none ]; then
    echo dbms.security.auth_enabled=false >>"$conf"
  elif [ -n "${NEO4J_AUTH:-}" ]; then
    # Refused where there are users already, and then the volume's password stands.
    setpriv --reuid=neo4j --regid=neo4j --init-groups \
      neo4j-admin dbms set-initial-password "${NEO4J_AUTH#neo4j/}" 2>/dev/null || true
  fi
  set -- neo4j console
fi
if [ "$(id -u)" = 0 ]; then
  exec setpriv --reuid=neo4j --regid=neo4j --init-groups "$@"
fi
exec "$@"
