import { type DependencyContainer, type InjectionToken, inject, Lifecycle, scoped } from 'tsyringe'
import { factory, optional, registerAll } from '../../../actors/factories.js'
import { SUBMIT_AGENT_REPORT, type AgentReportCommand } from '../../../actors/ports.js'
import { BESIDE_LOG, EVENT_LOG, LOG_FILES, LOGGER } from '../../settings/ports.js'
import {
  agentReportRoutes,
  CHECK_REPORTS_PATH,
  SERVICE_REPORTS_PATH
} from '../../../http/routes/internal/agent-reports.js'
import { internalLogRoutes } from '../../../http/routes/internal/log.js'
import {
  internalRestoreRoutes,
  reachRoutes,
  readIndexRoutes,
  type CallBack,
  type InternalRestores
} from '../../../http/routes/internal/cluster.js'
import { joinRoutes, type AdmitMachine } from '../../../http/routes/internal/join.js'
import { SnapshotSave } from '../../../http/routes/snapshot/save-snapshot.js'
import { REQUEST_ROUTING, type RequestRouting } from '../../../http/wire/request-routing.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { MORE_ROUTES } from '../../../http/wire/route.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { MemberPolicy } from './member-policy.js'
import { RequestRouter, ROUTING_POLICY } from './request-router.js'
import { agentRef } from '../../../actors/agent/agent.js'
import { ActorSystem } from '../../../actors/system.js'
import { Timers } from '../../../actors/clock.js'
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
    private readonly signed: SignedRequests,
    private readonly timers: Timers
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
    const signal = this.timers.abortAfter(this.cluster.hold)
    const attempt = await this.signed.send(leader.address, outgoing, signal)
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
/** Registered in the process that stores archives. */
export const INTERNAL_RESTORES: InjectionToken<InternalRestores> = Symbol('InternalRestores')

/** Registered in the process that takes part in a cluster with a managed etcd. */
export const ADMIT_MACHINE: InjectionToken<AdmitMachine> = Symbol('AdmitMachine')

/** Must be called before the server listens. */
export const registerCluster = (scope: DependencyContainer, cluster: ClusterPort): void => {
  scope.registerInstance(CLUSTER, cluster)
  scope.register(ROUTING_POLICY, { useToken: MemberPolicy })
  scope.register(REQUEST_ROUTING, { useToken: RequestRouter })
  registerClusterRoutes(scope)
  scope.register(
    SUBMIT_AGENT_REPORT,
    factory([AgentReports], reports => (command: AgentReportCommand) => reports.ask(command))
  )
}

/** @throws Error in a process that does not have it, which forwards the request instead */
const required = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('this process does not answer requests of other servers')
  return value
}

/** Registers the routes for requests of other cluster members. */
export const registerClusterRoutes = (scope: DependencyContainer): void => {
  const log = factory(
    [EVENT_LOG, optional(LOG_FILES), optional(BESIDE_LOG), SnapshotSave, LOGGER],
    (own, files, snapshots, saving, logger) =>
      internalLogRoutes({ log: own, files, snapshots, saving, logger })
  )
  registerAll(scope, MORE_ROUTES, [
    log,
    { useValue: agentReportRoutes },
    factory([optional<RequestRouting>(REQUEST_ROUTING), ShutdownSignal], (routing, closing) =>
      readIndexRoutes(() => required(routing), closing)
    ),
    factory([optional<AdmitMachine>(ADMIT_MACHINE)], joinRoutes),
    factory([optional<CallBack>(CALL_BACK)], callBack => reachRoutes(() => required(callBack))),
    factory([optional<InternalRestores>(INTERNAL_RESTORES)], restores =>
      internalRestoreRoutes(() => required(restores))
    )
  ])
}
