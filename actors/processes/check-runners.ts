// Runs the checks of the server's own node: probes, TTLs and deregistrations (spec: state.md §8).
import { inject, Lifecycle, scoped } from 'tsyringe'
import { createActor, type ActorRefFrom } from 'xstate'
import {
  CHECK_TOPIC,
  CRITICAL,
  isCheckEvent,
  type CheckDefinition,
  type CheckState
} from '../../events/check.js'
import { parseDuration, MILLISECOND, MINUTE } from '../../events/duration.js'
import { DEFAULT_TENANCY, type Event, type Tenancy } from '../../events/envelope.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { localKey } from '../../projections/catalog/reader.js'
import { Views } from '../../projections/read-models.js'
import { agentRef } from '../agent/agent.js'
import { aliasReportOf, isAlias, type AliasCheck, AliasChecks } from '../agent/alias.js'
import { runningCheckMachine } from '../agent/check-machine.js'
import { Clock, Deadlines, Timers } from '../clock.js'
import { causeOf, SERVER } from '../aggregate.js'
import { Committer } from '../committer.js'
import { Destinations, OutgoingTls } from '../outgoing/destinations.js'
import type { ProbeServices } from '../agent/probe-http.js'
import { SUBMIT_AGENT_REPORT, type SubmitAgentReport, type AgentReportCommand } from '../ports.js'
import { ActorSystem } from '../system.js'

const TTL = 'check-ttl'
const CRITICAL_TOO_LONG = 'check-critical'
const SHORTEST_CRITICAL = MINUTE
const RETRY_MS = 1000
const EXPIRED = 'TTL expired'

const expiredOutput = (last: string): string =>
  last === '' || last.startsWith(EXPIRED)
    ? last || EXPIRED
    : `${EXPIRED} (last output before timeout follows): ${last}`

interface StatusReport {
  readonly status: string
  readonly output: string
  /** Index of the commit that caused it. */
  readonly cause: number | undefined
}

interface Runner {
  readonly tenancy: Tenancy
  readonly id: string
  readonly definition: CheckDefinition
  readonly live: ActorRefFrom<typeof runningCheckMachine> | undefined
  /** End of the TTL by `Clock.elapsed`; Infinity after it and without a TTL. */
  expiresAt: number
  /** Start of the critical status by `Clock.elapsed`; undefined for other statuses. */
  criticalSince: number | undefined
}

/** Costs O(1) for a commit without checks of the own node, and an actor and a timer for each probe. */
@scoped(Lifecycle.ContainerScoped)
export class CheckRunners {
  readonly #submit: SubmitAgentReport
  readonly #services: ProbeServices
  readonly #runners = new Map<string, Runner>()
  readonly #aliases = new AliasChecks(check => this.#evaluateAlias(check))
  #node = ''

  constructor(
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    system: ActorSystem,
    private readonly committer: Committer,
    tls: OutgoingTls,
    destinations: Destinations,
    timers: Timers,
    @inject(SUBMIT_AGENT_REPORT, { isOptional: true }) submit?: SubmitAgentReport
  ) {
    this.#submit = submit ?? (command => system.ask(agentRef(this.#node), command))
    this.#services = { tls, destinations, timers }
  }

  start(node: string): void {
    this.#node = node
    this.deadlines.on(TTL, keys => this.#expire(keys))
    this.deadlines.on(CRITICAL_TOO_LONG, keys => this.#removeServices(keys))
    this.committer.on(SERVICE_TOPIC, event => this.#aliases.note(event))
    this.committer.on(CHECK_TOPIC, event => this.#follow(event))
    this.committer.signals.on('rebuilt', () => this.#restart())
    this.#restart()
  }

  stop(): void {
    for (const key of this.#runners.keys()) this.#endRunner(key)
  }

  get counts(): { readonly ttls: number; readonly monitors: number } {
    const all = [...this.#runners.values()]
    return {
      ttls: all.filter(({ definition }) => definition.TTL !== undefined).length,
      monitors: all.filter(({ live, definition }) => live !== undefined || isAlias(definition)).length
    }
  }

  renew(tenancy: Tenancy, id: string): void {
    const runner =
      this.#runners.get(localKey(tenancy.namespace, id)) ?? this.#runners.get(localKey('default', id))
    if (runner) this.#armTtl(runner)
  }

  #restart(): void {
    this.stop()
    for (const state of this.views.catalog.checksOn(DEFAULT_TENANCY.partition, this.#node)) this.#run(state)
  }

  #follow(event: Event): void {
    this.#aliases.note(event)
    if (!isCheckEvent(event) || event.Payload.Check.Runner === undefined) return
    const { Node, CheckID } = event.Payload.Check
    if (Node.toLowerCase() !== this.#node.toLowerCase()) return
    const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
    const key = localKey(tenancy.namespace, CheckID)
    const state = this.views.catalog.check(tenancy, Node, CheckID)
    if (!state) this.#endRunner(key)
    else if (event.Type === 'CheckStatusUpdate' && this.#runners.has(key)) this.#note(key, state)
    else {
      this.#endRunner(key)
      this.#run(state)
    }
  }

  #run(state: CheckState): void {
    const { runner: definition, partition, namespace, check } = state
    if (!definition) return
    const key = localKey(namespace, check.CheckID)
    const tenancy = { partition, namespace }
    const live =
      definition.HTTP || definition.TCP || definition.GRPC
        ? createActor(runningCheckMachine, {
            input: {
              definition,
              services: this.#services,
              report: ({ status, output }) =>
                this.#report(tenancy, check.CheckID, { status, output, cause: check.CreateIndex })
            }
          })
        : undefined
    const runner: Runner = {
      tenancy,
      id: check.CheckID,
      definition,
      live,
      expiresAt: Infinity,
      criticalSince: undefined
    }
    this.#runners.set(key, runner)
    this.#note(key, state)
    this.#armTtl(runner)
    live?.start()
    if (isAlias(definition))
      this.#aliases.add(key, { tenancy, id: check.CheckID, ownNode: this.#node, definition })
  }

  #endRunner(key: string): void {
    this.#runners.get(key)?.live?.stop()
    this.#aliases.remove(key)
    this.#runners.delete(key)
  }

  #note(key: string, { check }: CheckState): void {
    const runner = this.#runners.get(key)
    if (!runner) return
    if (check.Status !== CRITICAL) runner.criticalSince = undefined
    else if (runner.criticalSince === undefined) {
      runner.criticalSince = this.clock.elapsed()
      const after = parseDuration(runner.definition.DeregisterCriticalServiceAfter ?? '')
      if (after && check.ServiceID !== '') {
        this.deadlines.after(Math.max(after, SHORTEST_CRITICAL) / MILLISECOND, CRITICAL_TOO_LONG, key)
      }
    }
  }

  #armTtl(runner: Runner): void {
    const { TTL: ttl } = runner.definition
    if (ttl === undefined) return
    runner.expiresAt = this.clock.elapsed() + ttl / MILLISECOND
    this.deadlines.after(ttl / MILLISECOND, TTL, localKey(runner.tenancy.namespace, runner.id))
  }

  #expire(keys: readonly string[]): void {
    const now = this.clock.elapsed()
    for (const key of keys) {
      const runner = this.#runners.get(key)
      if (!runner || runner.expiresAt > now) continue
      runner.expiresAt = Infinity
      const { tenancy, id } = runner
      const last = this.views.catalog.check(tenancy, this.#node, id)?.check
      const report = { status: CRITICAL, output: expiredOutput(last?.Output ?? ''), cause: last?.ModifyIndex }
      this.#report(tenancy, id, report, () => {
        if (runner.expiresAt !== Infinity) return
        runner.expiresAt = this.clock.elapsed() + RETRY_MS
        this.deadlines.after(RETRY_MS, TTL, key)
      })
    }
  }

  #removeServices(keys: readonly string[]): void {
    const now = this.clock.elapsed()
    for (const key of keys) {
      const runner = this.#runners.get(key)
      const after = parseDuration(runner?.definition.DeregisterCriticalServiceAfter ?? '') ?? 0
      if (!runner || runner.criticalSince === undefined) continue
      if (runner.criticalSince + Math.max(after, SHORTEST_CRITICAL) / MILLISECOND > now) continue
      const state = this.views.catalog.check(runner.tenancy, this.#node, runner.id)
      if (!state?.check.ServiceID) continue
      const command: AgentReportCommand = {
        ...this.#common(runner.tenancy),
        cause: state.check.ModifyIndex,
        name: 'DeregisterAgentService',
        data: { node: this.#node, id: state.check.ServiceID }
      }
      this.#submit(command).catch(() => this.deadlines.after(RETRY_MS, CRITICAL_TOO_LONG, key))
    }
  }

  /** Reports the status of an alias check if it has changed. A failed report is retried. */
  #evaluateAlias(alias: AliasCheck): void {
    const { catalog } = this.views
    const { status, output } = aliasReportOf(catalog, alias)
    const stored = catalog.check(alias.tenancy, this.#node, alias.id)?.check
    if (!stored || (stored.Status === status && stored.Output === output)) return
    this.#report(alias.tenancy, alias.id, { status, output, cause: stored.CreateIndex }, () => {
      setTimeout(
        () => this.#aliases.evaluateAgain(localKey(alias.tenancy.namespace, alias.id)),
        RETRY_MS
      ).unref()
    })
  }

  /** A failed report is lost unless `retry` repeats it. */
  #report(
    tenancy: Tenancy,
    id: string,
    { status, output, cause }: StatusReport,
    retry: () => void = () => {}
  ): void {
    const command: AgentReportCommand = {
      ...this.#common(tenancy),
      ...causeOf([cause]),
      name: 'UpdateAgentCheck',
      data: { node: this.#node, id, status, output }
    }
    this.#submit(command).catch(retry)
  }

  #common(tenancy: Tenancy) {
    return { tenancy, caller: SERVER, at: this.clock.now() }
  }
}
