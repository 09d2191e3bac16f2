import {
  instanceCachingFactory,
  type DependencyContainer,
  type InjectionToken,
  inject,
  Lifecycle,
  scoped
} from 'tsyringe'
import {
  SUBMIT_AGENT_REPORT,
  type SubmitAgentReport,
  type AgentReportCommand
} from '../../../actors/ports.js'
import { BESIDE_LOG, EVENT_LOG, LOG_FILES, LOGGER } from '../../settings/ports.js'
import {
  agentReportRoutes,
  CHECK_REPORTS_PATH,
  SERVICE_REPORTS_PATH
} from '../../../http/routes/internal/agent-reports.js'
import { internalLogRoutes } from '../../../http/routes/internal/log.js'
import { reachRoutes, type CallBack, internalRestoreRoutes } from '../../../http/routes/internal/cluster.js'
import { SnapshotSave } from '../../../http/routes/snapshot/save-snapshot.js'
import { REQUEST_ROUTING, type RequestRouting } from '../../../http/wire/request-routing.js'
import { CLUSTER_ROUTES } from '../../../http/wire/route.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { ClusterRequests } from './cluster-requests.js'
import { internalRestores } from './shared-restores.js'
import { agentRef } from '../../../actors/agent/agent.js'
import { abortAfter } from '../../../actors/clock.js'
import { ActorSystem } from '../../../actors/system.js'
import { refusalIn } from '../transport/response-text.js'
import { SignedRequests } from './signed-requests.js'

const OK = 200

@scoped(Lifecycle.ContainerScoped)
class AgentReports {
  /** The last pending report per resource: the leader receives the reports of one resource in order. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    private readonly system: ActorSystem,
    private readonly signed: SignedRequests
  ) {}

  /** Resolves when the report is stored. @throws Error if it is not, or the outcome is unknown: the caller may repeat it */
  async ask(command: AgentReportCommand): Promise<void> {
    const { tenancy, data } = command
    const key = JSON.stringify([tenancy.partition, tenancy.namespace, data.id])
    const before = this.#last.get(key)
    const sent = before ? before.then(() => this.#send(command)) : this.#send(command)
    const settled = sent.catch(() => {})
    this.#last.set(key, settled)
    try {
      await sent
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }

  async #send(command: AgentReportCommand): Promise<void> {
    if (this.cluster.role() === 'leading') {
      await this.system.ask(agentRef(command.data.node), command)
      return
    }
    const leader = this.cluster.leader()
    if (!leader) throw new Error('the cluster has no leader')
    const { url, body } = requestOf(command)
    const headers = ['Content-Type', 'application/json']
    const outgoing = { method: 'PUT', url, headers, body, isLong: false }
    const attempt = await this.signed.send(leader.address, outgoing, abortAfter(this.cluster.hold))
    if (attempt.kind !== 'answered') throw new Error(`the leader, ${leader.address}, did not answer`)
    const text = await refusalIn(attempt.answer)
    if (attempt.answer.statusCode !== OK) throw new Error(`the leader refused an agent report: ${text}`)
  }
}

const requestOf = ({ name, tenancy, data, cause }: AgentReportCommand) => {
  const resource = {
    Partition: tenancy.partition,
    Namespace: tenancy.namespace,
    ID: data.id,
    ...(cause === undefined ? {} : { Cause: cause })
  }
  const more = 'status' in data ? { Status: data.status, Output: data.output } : {}
  return {
    url: name === 'UpdateAgentCheck' ? CHECK_REPORTS_PATH : SERVICE_REPORTS_PATH,
    body: Buffer.from(JSON.stringify({ ...resource, ...more }))
  }
}

/** Registered in the process that takes part in the cluster. */
export const CALL_BACK: InjectionToken<CallBack> = Symbol('CallBack')

/** Must be called before the server listens. */
export const registerCluster = (scope: DependencyContainer, cluster: ClusterPort): void => {
  scope.registerInstance(CLUSTER, cluster)
  scope.register(REQUEST_ROUTING, {
    useFactory: instanceCachingFactory<RequestRouting>(container => container.resolve(ClusterRequests))
  })
  registerClusterRoutes(scope)
  scope.register<SubmitAgentReport>(SUBMIT_AGENT_REPORT, {
    useFactory: instanceCachingFactory<SubmitAgentReport>(container => {
      const reports = container.resolve(AgentReports)
      return command => reports.ask(command)
    })
  })
}

/** Registers the routes for requests of other cluster members. */
export const registerClusterRoutes = (scope: DependencyContainer): void => {
  scope.register(CLUSTER_ROUTES, {
    useFactory: instanceCachingFactory(container => [
      ...internalLogRoutes({
        log: container.resolve(EVENT_LOG),
        files: container.isRegistered(LOG_FILES) ? container.resolve(LOG_FILES) : undefined,
        snapshots: container.isRegistered(BESIDE_LOG) ? container.resolve(BESIDE_LOG) : undefined,
        saving: container.resolve(SnapshotSave),
        logger: container.resolve(LOGGER)
      }),
      ...agentReportRoutes,
      ...reachRoutes(() => container.resolve(CALL_BACK)),
      ...internalRestoreRoutes(() => internalRestores(container))
    ])
  })
}
