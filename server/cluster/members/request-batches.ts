// Forwards requests to other servers: all of one turn of the event loop together, as one request with an answer for each.
import { Lifecycle, scoped } from 'tsyringe'
import type { ForwardedHead } from '../../../http/wire/batches/batched-requests.js'
import {
  BATCH_PATH,
  BATCH_TYPE,
  encodeFrame,
  FrameReader,
  type Frame
} from '../../../http/wire/batches/frames.js'
import { refusalIn, type WholeAnswer } from '../transport/response-text.js'
import { SignedRequests } from './signed-requests.js'

/** A batch of this size is closed to further requests. */
const FULL_BYTES = 1024 * 1024
const NO_BODY = Buffer.alloc(0)
const NOT_FOUND = 404

interface ForwardedRequest extends ForwardedHead {
  readonly body: Buffer | undefined
}

/** See `RequestAttempt`. `unsupported`: the server is of an earlier version, and did nothing. */
export type BatchedAttempt =
  | { readonly kind: 'whole'; readonly answer: WholeAnswer }
  | { readonly kind: 'not-sent' | 'broken' | 'unsupported' }

const answerIn = ({ head, body }: Frame): WholeAnswer => {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const rawHeaders: string[] = []
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()]
    rawHeaders.push(name, value)
    headers[name.toLowerCase()] = value
  }
  return { statusCode: Number(statusLine.split(' ', 2)[1]), rawHeaders, headers, body }
}

interface Member extends ForwardedRequest {
  readonly signal: AbortSignal
  readonly settle: (attempt: BatchedAttempt) => void
}

/** Requests that are sent together. */
class Batch {
  readonly #members: Member[] = []
  readonly #unsettled = new Set<number>()
  readonly #abandoned = new AbortController()
  #bytes = 0
  /** Requests that are not answered, and whose answers are awaited. */
  #awaited = 0

  /** Aborts when no answer is awaited any more. */
  get signal(): AbortSignal {
    return this.#abandoned.signal
  }

  get isFull(): boolean {
    return this.#bytes >= FULL_BYTES
  }

  add(member: Member): void {
    this.#members.push(member)
    this.#bytes += member.body?.length ?? 0
  }

  /** Returns the frames of the requests whose answers are still awaited. */
  encode(): readonly Buffer[] {
    return this.#members.flatMap((member, id) => {
      const { method, url, headers, body = NO_BODY, signal } = member
      const head: ForwardedHead = { method, url, headers }
      this.#unsettled.add(id)
      if (signal.aborted) {
        this.settle(id, { kind: 'not-sent' })
        return []
      }
      this.#awaited++
      signal.addEventListener('abort', this.#giveUp)
      return [encodeFrame({ id, head: JSON.stringify(head), body })]
    })
  }

  settle(id: number, attempt: BatchedAttempt): void {
    const member = this.#members[id]
    if (!member || !this.#unsettled.delete(id)) return
    member.signal.removeEventListener('abort', this.#giveUp)
    if (!member.signal.aborted) this.#awaited--
    member.settle(attempt)
  }

  settleRest(attempt: BatchedAttempt): void {
    for (const id of this.#unsettled) this.settle(id, attempt)
  }

  readonly #giveUp = (): void => {
    if (--this.#awaited === 0) this.#abandoned.abort()
  }
}

@scoped(Lifecycle.ContainerScoped)
export class RequestBatches {
  /** The batches of this turn, by address. */
  readonly #open = new Map<string, Batch>()

  constructor(private readonly signed: SignedRequests) {}

  /** Sends a request once. @param signal gives it up */
  send(to: string, request: ForwardedRequest, signal: AbortSignal): Promise<BatchedAttempt> {
    return new Promise(settle => {
      let batch = this.#open.get(to)
      if (!batch || batch.isFull) batch = this.#begin(to)
      batch.add({ ...request, signal, settle })
    })
  }

  #begin(to: string): Batch {
    const batch = new Batch()
    this.#open.set(to, batch)
    setImmediate(() => {
      if (this.#open.get(to) === batch) this.#open.delete(to)
      this.#exchange(to, batch).then(
        rest => batch.settleRest(rest),
        // The answer broke off.
        () => batch.settleRest({ kind: 'broken' })
      )
    })
    return batch
  }

  /** Sends a batch and settles its requests as they are answered. @returns the outcome of those that are not */
  async #exchange(to: string, batch: Batch): Promise<BatchedAttempt> {
    const frames = batch.encode()
    if (frames.length === 0) return { kind: 'not-sent' }
    const headers = ['Content-Type', BATCH_TYPE]
    const body = Buffer.concat(frames)
    const outgoing = { method: 'POST', url: BATCH_PATH, headers, body, isLong: false }
    const attempt = await this.signed.send(to, outgoing, batch.signal)
    if (attempt.kind === 'upgraded') throw new Error('the leader changed the protocol unasked')
    if (attempt.kind !== 'answered') return attempt
    const { answer } = attempt
    const { statusCode = 0, rawHeaders, headers: received } = answer
    if (received['content-type'] !== BATCH_TYPE) {
      const text = Buffer.from(await refusalIn(answer))
      if (statusCode === NOT_FOUND) return { kind: 'unsupported' }
      return { kind: 'whole', answer: { statusCode, rawHeaders, headers: received, body: text } }
    }
    const reader = new FrameReader()
    for await (const chunk of answer)
      for (const frame of reader.read(chunk))
        batch.settle(frame.id, { kind: 'whole', answer: answerIn(frame) })
    return { kind: 'broken' }
  }
}
