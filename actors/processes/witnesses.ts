// Has the checkpoints of the log signed by its witnesses, and says which one has as many of their signatures as it needs.
import { type ActorOptions, createActor } from 'xstate'
import { keyOfSignature, noteOf, parseNote, verifySignature } from '../../events/log/evidence/note.js'
import { retryDelay } from '../webhook/retry.js'
import { witnessMachine, type WitnessActor, type WitnessMachine } from '../witness/witness-machine.js'
import type { Submission, Witness, WitnessResponse } from '../witness/witness-http.js'
import type { SignedCheckpoint } from './checkpoints.js'

/** Milliseconds between attempts at a witness that fails. */
const RETRY = { least: 1000, most: 60_000 }

interface WitnessPlan {
  readonly witnesses: readonly Witness[]
  /** How many of them must have signed a checkpoint before others are shown it. */
  readonly required: number
  readonly submit: (witness: Witness, submission: Submission, ends: AbortSignal) => Promise<WitnessResponse>
  /** What proves that the first `to` commits begin with the first `from`. */
  readonly consistency: (from: number, to: number) => Promise<readonly Buffer[]>
  /** Keeps a checkpoint with signatures that it did not have. */
  readonly keep: (checkpoint: SignedCheckpoint) => Promise<void>
  /** Told why a witness did not sign, which is asked again, or why its signature cannot be kept. */
  readonly onFailure: (reason: string) => void
}

/** A checkpoint as its signatures come. */
interface Round {
  /** Without signatures of witnesses. */
  readonly checkpoint: SignedCheckpoint
  /** Of those who have signed. */
  readonly lines: Map<Witness, string>
  readonly failed: Set<Witness>
}

/** A witness and what is known of it. */
interface Asked {
  readonly witness: Witness
  readonly actor: WitnessActor
  /** How many commits the newest checkpoint has that it has signed, as far as that is known. */
  known: number
  failures: number
}

/**
 * All witnesses are asked for one checkpoint: the newest when it has begun. When it has the signatures it needs, or all have answered, the
 * next one has its turn, so that a slow witness holds up no more than it must, and many slow ones still sign the same checkpoint.
 */
export class Witnesses {
  readonly #asked: readonly Asked[]
  #newest: SignedCheckpoint | undefined
  #round: Round | undefined
  #cosigned: SignedCheckpoint | undefined
  #keeping: Promise<void> = Promise.resolve()

  /** @param options `clock`, for the time between attempts */
  constructor(
    private readonly plan: WitnessPlan,
    options: Pick<ActorOptions<WitnessMachine>, 'clock'> = {}
  ) {
    this.#asked = plan.witnesses.map(witness => {
      const machine = witnessMachine({
        ask: signal => this.#ask(asked, signal),
        onIdle: () => queueMicrotask(() => this.#look(asked))
      })
      const asked: Asked = { witness, actor: createActor(machine, options), known: 0, failures: 0 }
      return asked
    })
  }

  /** The newest checkpoint that has the signatures it needs, with all that it has; undefined when there is none. */
  get cosigned(): SignedCheckpoint | undefined {
    return this.#cosigned
  }

  /** Begins. @param kept checkpoints that were kept, the newest first: the first that has the signatures it needs is taken up */
  async start(kept: AsyncIterable<SignedCheckpoint>): Promise<void> {
    for await (const checkpoint of kept) {
      if (this.#roundOf(checkpoint).lines.size < this.plan.required) continue
      this.#cosigned = checkpoint
      break
    }
    for (const { actor } of this.#asked) actor.start()
  }

  /** Has a checkpoint signed that is newer than all before. */
  take(checkpoint: SignedCheckpoint): void {
    this.#newest = checkpoint
    if (this.plan.required === 0) this.#cosigned = checkpoint
    this.#next()
  }

  async stop(): Promise<void> {
    for (const { actor } of this.#asked) actor.send({ type: 'Stop' })
    await this.#keeping
  }

  /** Parts a checkpoint from the signatures of witnesses that it has. */
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

  /** Begins with the newest checkpoint, if the one before has had its turn. */
  #next(): void {
    const newest = this.#newest
    if (!newest || (this.#round && !this.#isOver(this.#round))) return
    if (this.#round && this.#round.checkpoint.size >= newest.size) return
    this.#round = this.#roundOf(newest)
    for (const asked of this.#asked) this.#look(asked)
  }

  #isOver({ lines, failed }: Round): boolean {
    return lines.size >= Math.max(1, this.plan.required) || lines.size + failed.size === this.#asked.length
  }

  #look({ actor, witness }: Asked): void {
    if (this.#round && !this.#round.lines.has(witness)) actor.send({ type: 'New' })
  }

  async #ask(asked: Asked, ends: AbortSignal): Promise<number | undefined> {
    const round = this.#round
    if (!round) return undefined
    const { witness } = asked
    let answer = await this.#submit(asked, round.checkpoint, ends)
    if (answer.outcome === 'other size' && answer.size <= round.checkpoint.size) {
      asked.known = answer.size
      answer = await this.#submit(asked, round.checkpoint, ends)
    }
    if (ends.aborted) return undefined
    if (answer.outcome === 'cosigned') {
      asked.known = round.checkpoint.size
      asked.failures = 0
      round.failed.delete(witness)
      round.lines.set(witness, answer.line)
      this.#show(round)
      this.#next()
      return undefined
    }
    round.failed.add(witness)
    const reason =
      answer.outcome === 'failed'
        ? answer.reason
        : `it has seen ${answer.size} commits of this log, which has signed ${round.checkpoint.size}`
    this.plan.onFailure(`${witness.key.name} did not sign ${round.checkpoint.size} commits: ${reason}`)
    this.#next()
    return retryDelay(++asked.failures, RETRY, Math.random())
  }

  async #submit(
    { witness, known }: Asked,
    { size, text }: SignedCheckpoint,
    ends: AbortSignal
  ): Promise<WitnessResponse> {
    try {
      const hashes = await this.plan.consistency(known, size)
      return await this.plan.submit(witness, { old: known, hashes, note: text }, ends)
    } catch (error) {
      return { outcome: 'failed', reason: `no proof can be made for it: ${String(error)}` }
    }
  }

  /** Shows a checkpoint to others, once it has the signatures it needs. */
  #show({ checkpoint: { size, text }, lines }: Round): void {
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
