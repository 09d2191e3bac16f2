// Two servers in this process over the same read models and log: one that leads, and one that follows.
import type { ExecutionContext } from 'ava'
import { decisionRules } from '../../../../actors/aggregates.js'
import { Committer } from '../../../../actors/committer.js'
import { ActorSystem } from '../../../../actors/system.js'
import { registerCluster } from '../../../../server/cluster/members/register-cluster.js'
import type { ClusterPort } from '../../../../server/cluster/members/cluster-port.js'
import { EVENT_LOG } from '../../../../server/settings/ports.js'
import { Views } from '../../../../projections/read-models.js'
import { ClusterCertificates } from '../../../../http/wire/tls/cluster-certificates.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'
import { HandMadePort, SECRET } from './hand-made-port.js'

export interface Pair {
  readonly leader: TestServer
  readonly follower: TestServer
  readonly ofLeader: HandMadePort
  readonly ofFollower: HandMadePort
}

/** Starts both. They end with the test. @param known by which they know each other */
export const pairOfServers = async (
  t: ExecutionContext,
  options: TestServerOptions = {},
  ofFollower: TestServerOptions = options,
  known: Pick<ClusterPort, 'secret'> = { secret: SECRET }
): Promise<Pair> => {
  const leads = new HandMadePort('leading', undefined, known)
  const leader = await serverInProcess(t, {
    ...options,
    config: { node_name: 'server-1', ...options.config },
    register: scope => {
      registerCluster(scope, leads)
      options.register?.(scope)
    }
  })
  const place = { id: leader.settings.node_id, address: leader.base }
  leads.change('leading', place)
  const follows = new HandMadePort('following', place, known)
  let hasStarted = false
  const follower = await serverInProcess(t, {
    ...ofFollower,
    config: { node_name: 'server-2', ...ofFollower.config },
    register: scope => {
      const { views, committer, log } = leader.app
      scope.registerInstance(Views, views)
      scope.registerInstance(Committer, committer)
      scope.registerInstance(EVENT_LOG, log)
      // Its own processes, too, decide nothing once it follows.
      const system = new ActorSystem(decisionRules, views, committer, undefined, () => !hasStarted)
      scope.registerInstance(ActorSystem, system)
      registerCluster(scope, follows)
      ofFollower.register?.(scope)
    }
  })
  hasStarted = true
  for (const { scope } of [leader, follower]) {
    const certificates = scope.resolve(ClusterCertificates)
    certificates.open()
    t.teardown(() => certificates.close())
  }
  return { leader, follower, ofLeader: leads, ofFollower: follows }
}
