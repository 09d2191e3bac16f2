import { type ActorOptions, createActor, type ActorRefFrom, assign, fromPromise, setup } from 'xstate'
import { keyOfSignature, noteOf, parseNote, verifySignature } from '../../events/log/evidence/note.js'
import { retryDelay } from '../outgoing/guarded-client.js'
import type { Submission, Witness, WitnessResponse } from '../witness/witness-http.js'
import type { SignedCheckpoint } from './checkpoints.js'

const RETRY = { min: 1000, max: 60_000 }

interface WitnessPlan {
  readonly witnesses: readonly Witness[]
  /** Number of cosignatures that a published checkpoint needs. */
  readonly required: number
  readonly submit: (
    witness: Witness,
    submission: Submission,
    abortSignal: AbortSignal
  ) => Promise<WitnessResponse>
  readonly consistency: (from: number, to: number) => Promise<readonly Buffer[]>
  readonly keep: (checkpoint: SignedCheckpoint) => Promise<void>
  /** Reports why a witness did not sign, which is retried, or why its signature cannot be stored. */
  readonly onFailure: (reason: string) => void
}

interface Round {
  /** Without cosignatures. */
  readonly checkpoint: SignedCheckpoint
  /** Cosignature by witness. */
  readonly lines: Map<Witness, string>
  readonly failed: Set<Witness>
}

interface WitnessState {
  readonly witness: Witness
  readonly actor: WitnessActor
  /** Size of the newest checkpoint that it has signed, as far as known. */
  known: number
  failures: number
}

/**
 * Requests cosignatures of one checkpoint from all witnesses: of the newest at the start of a round. The next round starts when it has enough
 * cosignatures or all witnesses have responded, so that slow witnesses still sign the same checkpoint.
 */
export class Witnesses {
  readonly #state: readonly WitnessState[]
  #newest: SignedCheckpoint | undefined
  #round: Round | undefined
  #cosigned: SignedCheckpoint | undefined
  #keeping: Promise<void> = Promise.resolve()

  constructor(
    private readonly plan: WitnessPlan,
    options: Pick<ActorOptions<WitnessMachine>, 'clock'> = {}
  ) {
    this.#state = plan.witnesses.map(witness => {
      const machine = witnessMachine({
        ask: signal => this.#ask(state, signal),
        onIdle: () => queueMicrotask(() => this.#send(state))
      })
      const state: WitnessState = { witness, actor: createActor(machine, options), known: 0, failures: 0 }
      return state
    })
  }

  /** The newest checkpoint with enough cosignatures; undefined without one. */
  get cosigned(): SignedCheckpoint | undefined {
    return this.#cosigned
  }

  /** @param stored checkpoints, newest first: the first with enough cosignatures is published */
  async start(stored: AsyncIterable<SignedCheckpoint>): Promise<void> {
    for await (const checkpoint of stored) {
      if (this.#roundOf(checkpoint).lines.size < this.plan.required) continue
      this.#cosigned = checkpoint
      break
    }
    for (const { actor } of this.#state) actor.start()
  }

  /** Requests cosignatures of a newer checkpoint. */
  take(checkpoint: SignedCheckpoint): void {
    this.#newest = checkpoint
    if (this.plan.required === 0) this.#cosigned = checkpoint
    this.#startRound()
  }

  async stop(): Promise<void> {
    for (const { actor } of this.#state) actor.send({ type: 'Stop' })
    await this.#keeping
  }

  #roundOf({ size, text }: SignedCheckpoint): Round {
    const { witnesses } = this.plan
    const note = parseNote(Buffer.from(text))
    const lines = new Map<Witness, string>()
    for (const signature of note.signatures) {
      const witness = witnesses.find(({ key }) => keyOfSignature(signature, [key]))
      if (witness && verifySignature(note.text, signature, witness.key)) lines.set(witness, signature.line)
    }
    const theirs = new Set(lines.values())
    const own = note.signatures.map(({ line }) => line).filter(line => !theirs.has(line))
    return { checkpoint: { size, text: noteOf(note.text, own) }, lines, failed: new Set() }
  }

  /** Starts a round with the newest checkpoint when the previous round is over. */
  #startRound(): void {
    const newest = this.#newest
    if (!newest || (this.#round && !this.#isOver(this.#round))) return
    if (this.#round && this.#round.checkpoint.size >= newest.size) return
    this.#round = this.#roundOf(newest)
    for (const state of this.#state) this.#send(state)
  }

  #isOver({ lines, failed }: Round): boolean {
    return lines.size >= Math.max(1, this.plan.required) || lines.size + failed.size === this.#state.length
  }

  #send({ actor, witness }: WitnessState): void {
    if (this.#round && !this.#round.lines.has(witness)) actor.send({ type: 'New' })
  }

  async #ask(state: WitnessState, abortSignal: AbortSignal): Promise<number | undefined> {
    const round = this.#round
    if (!round) return undefined
    const { witness } = state
    let response = await this.#submit(state, round.checkpoint, abortSignal)
    if (response.outcome === 'other size' && response.size <= round.checkpoint.size) {
      state.known = response.size
      response = await this.#submit(state, round.checkpoint, abortSignal)
    }
    if (abortSignal.aborted) return undefined
    if (response.outcome === 'cosigned') {
      state.known = round.checkpoint.size
      state.failures = 0
      round.failed.delete(witness)
      round.lines.set(witness, response.line)
      this.#publish(round)
      this.#startRound()
      return undefined
    }
    round.failed.add(witness)
    const reason =
      response.outcome === 'failed'
        ? response.reason
        : `it has seen ${response.size} commits of this log, which has signed ${round.checkpoint.size}`
    this.plan.onFailure(`${witness.key.name} did not sign ${round.checkpoint.size} commits: ${reason}`)
    this.#startRound()
    return retryDelay(++state.failures, RETRY, Math.random())
  }

  async #submit(
    { witness, known }: WitnessState,
    { size, text }: SignedCheckpoint,
    abortSignal: AbortSignal
  ): Promise<WitnessResponse> {
    try {
      const hashes = await this.plan.consistency(known, size)
      return await this.plan.submit(witness, { old: known, hashes, note: text }, abortSignal)
    } catch (error) {
      return { outcome: 'failed', reason: `no proof can be made for it: ${String(error)}` }
    }
  }

  #publish({ checkpoint: { size, text }, lines }: Round): void {
    if (lines.size < this.plan.required) return
    const signed = { size, text: text + [...lines.values()].join('') }
    if (size >= (this.#cosigned?.size ?? 0)) this.#cosigned = signed
    const { keep, onFailure } = this.plan
    this.#keeping = this.#keeping
      .then(() => keep(signed))
      .catch((error: unknown) =>
        onFailure(`the signatures on ${size} commits cannot be kept: ${String(error)}`)
      )
  }
}

interface WitnessActors {
  /** @returns milliseconds to wait after a failure; undefined when the checkpoint is signed */
  readonly ask: (signal: AbortSignal) => Promise<number | undefined>
  readonly onIdle: () => void
}

/** `New` has an effect only in `idle`, which `onIdle` reports. */
const witnessMachine = ({ ask, onIdle }: WitnessActors) =>
  setup({
    types: { context: {} as { readonly wait: number }, events: {} as { type: 'New' } | { type: 'Stop' } },
    actors: { ask: fromPromise<number | undefined>(({ signal }) => ask(signal)) },
    actions: { onIdle },
    delays: { wait: ({ context }) => context.wait }
  }).createMachine({
    id: 'witness',
    context: { wait: 0 },
    initial: 'idle',
    on: { Stop: '.stopped' },
    states: {
      idle: { entry: 'onIdle', on: { New: 'requesting' } },
      requesting: {
        invoke: {
          src: 'ask',
          onDone: [
            { guard: ({ event }) => event.output === undefined, target: 'idle' },
            { target: 'waiting', actions: assign({ wait: ({ event }) => event.output ?? 0 }) }
          ]
        }
      },
      waiting: { after: { wait: 'idle' } },
      stopped: { type: 'final' }
    }
  })

type WitnessMachine = ReturnType<typeof witnessMachine>
type WitnessActor = ActorRefFrom<WitnessMachine>
