// The mesh gateways of the other datacenters, asked for every few seconds.
import { inject, Lifecycle, scoped } from 'tsyringe'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import { Timers } from '../../../actors/timers.js'
import { Views } from '../../../projections/read-models.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import {
  FEDERATION_KEY,
  type Federation,
  type FederationState
} from '../../../http/routes/internal/federation.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import { FEDERATION_STATE } from '../../../http/routes/internal/federation-states.js'
import type { Settings } from '../../settings/settings.js'
import { DatacenterPoller } from './datacenter-poller.js'
import { RemoteJsonRequests } from './remote-json-requests.js'
import { remoteInstance } from './remote-instances.js'

const stateAnswer = Compile(
  Type.Object({
    State: Type.Object({
      Datacenter: Type.String(),
      MeshGateways: Type.Array(remoteInstance),
      ModifyIndex: Type.Integer()
    })
  })
)

@scoped(Lifecycle.ContainerScoped)
export class FederationStates implements Federation {
  readonly #states = new Map<string, FederationState>()
  readonly #turns: DatacenterPoller

  constructor(
    @inject(SETTINGS) { datacenters }: Settings,
    private readonly answers: RemoteJsonRequests,
    private readonly agentTokens: AgentTokens,
    private readonly views: Views,
    private readonly clock: Clock,
    timers: Timers,
    @inject(LOGGER) logger: Logger
  ) {
    this.#turns = new DatacenterPoller(Object.keys(datacenters), timers, {
      ask: name => this.#ask(name),
      onSilent: (datacenter, why) =>
        logger.info({ ...why, datacenter }, 'a datacenter does not tell its mesh gateways'),
      onBack: datacenter => logger.info({ datacenter }, 'a datacenter tells its mesh gateways again')
    })
  }

  /** Asks now and from then on, until it is stopped. */
  start(): void {
    this.#turns.start()
  }

  stop(): void {
    this.#turns.stop()
  }

  others(): readonly FederationState[] {
    return [...this.#states.values()]
  }

  /** A datacenter that does not answer keeps the gateways that it told last. */
  async #ask(name: string): Promise<void> {
    const secret = this.agentTokens.secretFor(name) ?? this.agentTokens.fallback
    const url = `${FEDERATION_STATE}/${encodeURIComponent(name)}`
    this.#take(name, await this.answers.ask(name, { url, secret }))
  }

  #take(name: string, told: unknown): void {
    if (!stateAnswer.Check(told))
      throw new Error('another datacenter answers with what is no federation state')
    const { MeshGateways, ModifyIndex: modifyIndex } = told.State
    const gateways = MeshGateways.map(one => ({
      node: one.Node.Node,
      service: one.Service.Service,
      json: JSON.stringify(one)
    }))
    const known = this.#states.get(name)
    if (known && JSON.stringify(known.gateways) === JSON.stringify(gateways)) return
    const updatedAt = new Date(this.clock.now()).toISOString()
    this.#states.set(name, { datacenter: name, gateways, updatedAt, modifyIndex })
    this.views.watch.touch(FEDERATION_KEY)
  }
}
