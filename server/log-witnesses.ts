import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Witnesses } from '../actors/processes/witnesses.js'
import { Timers } from '../actors/clock.js'
import { WitnessHttp } from '../actors/witness/witness-http.js'
import type { Settings } from './settings/settings.js'
import { witnessesOf } from './settings/witnesses.js'
import { LogEvidence } from '../http/wire/log-evidence.js'
import { LOGGER, SETTINGS } from './settings/ports.js'

@scoped(Lifecycle.ContainerScoped)
export class LogWitnesses {
  readonly #settings: Settings['signing']
  #witnesses: Witnesses | undefined
  #stopListening = (): void => {}

  constructor(
    private readonly evidence: LogEvidence,
    private readonly http: WitnessHttp,
    private readonly timers: Timers,
    @inject(SETTINGS) { signing }: Settings,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    this.#settings = signing
  }

  /** Starts the requests if there are witnesses and a signed log. Readers then see cosigned checkpoints only. */
  async open(): Promise<void> {
    const { opened } = this.evidence
    const all = witnessesOf(this.#settings.witnesses)
    if (!opened || all.length === 0) return
    const { checkpoints, tree } = opened
    const witnesses = new Witnesses(
      {
        witnesses: all,
        required: this.#settings.required_witnesses,
        submit: (witness, submission, ends) => this.http.add(witness, submission, ends),
        consistency: (from, to) => tree.tree.consistency(from, to),
        keep: checkpoint => checkpoints.keep(checkpoint),
        onFailure: reason => this.logger.warn(`log: ${reason}`)
      },
      { clock: this.timers }
    )
    this.#witnesses = witnesses
    await witnesses.start(checkpoints.kept())
    checkpoints.delegateShown(() => witnesses.cosigned)
    this.#stopListening = checkpoints.onSigned(checkpoint => witnesses.take(checkpoint))
    if (checkpoints.newest) witnesses.take(checkpoints.newest)
  }

  async close(): Promise<void> {
    this.#stopListening()
    await this.#witnesses?.stop()
  }
}
