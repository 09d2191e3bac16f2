// Has the parts of a server ask the cluster that it is one of.
import {
  instanceCachingFactory,
  type DependencyContainer,
  type InjectionToken,
  inject,
  Lifecycle,
  scoped
} from 'tsyringe'
import { SUBMIT_AGENT_REPORT, type SubmitAgentReport } from '../../../actors/ports.js'
import { BESIDE_LOG, EVENT_LOG, LOG_FILES, LOGGER } from '../../settings/ports.js'
import {
  agentReportRoutes,
  CHECK_REPORTS_PATH,
  SERVICE_REPORTS_PATH
} from '../../../http/routes/internal/agent-reports.js'
import { internalLogRoutes } from '../../../http/routes/internal/log.js'
import { reachRoutes, type CallBack } from '../../../http/routes/internal/reach.js'
import { internalRestoreRoutes } from '../../../http/routes/internal/restores.js'
import { SnapshotSave } from '../../../http/routes/snapshot/save-snapshot.js'
import { REQUEST_ROUTING, type RequestRouting } from '../../../http/wire/request-routing.js'
import { CLUSTER_ROUTES } from '../../../http/wire/route.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { ClusterRequests } from './cluster-requests.js'
import { internalRestores } from './shared-restores.js'
import { agentRef } from '../../../actors/agent/agent.js'
import { abortAfter } from '../../../actors/clock.js'
import type { AgentReportCommand } from '../../../actors/ports.js'
import { ActorSystem } from '../../../actors/system.js'
import { refusalIn } from '../transport/response-text.js'
import { SignedRequests } from './signed-requests.js'

/** What this server finds out of its own node: stored by itself while it leads, told to the leader otherwise. */
const OK = 200

@scoped(Lifecycle.ContainerScoped)
class AgentReports {
  /** What was asked last of each thing, while it is under way: the leader hears of a thing in the order in which it was found. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    private readonly system: ActorSystem,
    private readonly signed: SignedRequests
  ) {}

  /** Resolves when the finding is stored. @throws Error when it is not, or nobody knows: it may be told again */
  async ask(command: AgentReportCommand): Promise<void> {
    const { tenancy, data } = command
    const key = JSON.stringify([tenancy.partition, tenancy.namespace, data.id])
    const before = this.#last.get(key)
    const told = before ? before.then(() => this.#tell(command)) : this.#tell(command)
    const settled = told.catch(() => {})
    this.#last.set(key, settled)
    try {
      await told
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }

  async #tell(command: AgentReportCommand): Promise<void> {
    if (this.cluster.role() === 'leading') {
      await this.system.ask(agentRef(command.data.node), command)
      return
    }
    const leader = this.cluster.leader()
    if (!leader) throw new Error('nobody leads the cluster')
    const { url, body } = requestOf(command)
    const headers = ['Content-Type', 'application/json']
    const outgoing = { method: 'PUT', url, headers, body, onAsked: () => {}, isLong: false }
    const attempt = await this.signed.send(leader.address, outgoing, abortAfter(this.cluster.hold))
    if (attempt.kind !== 'answered') throw new Error(`the leader, ${leader.address}, did not answer`)
    const said = await refusalIn(attempt.answer)
    if (attempt.answer.statusCode !== OK) throw new Error(`the leader refused what was found: ${said}`)
  }
}

/** The internal request that tells the leader of it. */
const requestOf = ({ name, tenancy, data, cause }: AgentReportCommand) => {
  const found = {
    Partition: tenancy.partition,
    Namespace: tenancy.namespace,
    ID: data.id,
    ...(cause === undefined ? {} : { Cause: cause })
  }
  const more = 'status' in data ? { Status: data.status, Output: data.output } : {}
  return {
    url: name === 'UpdateAgentCheck' ? CHECK_REPORTS_PATH : SERVICE_REPORTS_PATH,
    body: Buffer.from(JSON.stringify({ ...found, ...more }))
  }
}

/** Registered where a process takes part in the cluster. */
export const CALL_BACK: InjectionToken<CallBack> = Symbol('CallBack')

/** Has the requests of a server answered as one of a cluster. To be called before anything listens. */
export const registerCluster = (scope: DependencyContainer, cluster: ClusterPort): void => {
  scope.registerInstance(CLUSTER, cluster)
  scope.register(REQUEST_ROUTING, {
    useFactory: instanceCachingFactory<RequestRouting>(made => made.resolve(ClusterRequests))
  })
  registerClusterRoutes(scope)
  scope.register<SubmitAgentReport>(SUBMIT_AGENT_REPORT, {
    useFactory: instanceCachingFactory<SubmitAgentReport>(made => {
      const findings = made.resolve(AgentReports)
      return command => findings.ask(command)
    })
  })
}

/** Has a server know what other servers of its cluster ask it. */
export const registerClusterRoutes = (scope: DependencyContainer): void => {
  scope.register(CLUSTER_ROUTES, {
    useFactory: instanceCachingFactory(made => [
      ...internalLogRoutes({
        log: made.resolve(EVENT_LOG),
        files: made.isRegistered(LOG_FILES) ? made.resolve(LOG_FILES) : undefined,
        beside: made.isRegistered(BESIDE_LOG) ? made.resolve(BESIDE_LOG) : undefined,
        saving: made.resolve(SnapshotSave),
        logger: made.resolve(LOGGER)
      }),
      ...agentReportRoutes,
      ...reachRoutes(() => made.resolve(CALL_BACK)),
      ...internalRestoreRoutes(() => internalRestores(made))
    ])
  })
}
