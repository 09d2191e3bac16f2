// Reads a stream in batches until it is aborted, and reports its state.
import type { AnnalsClient } from '../../typescript/annals-client.js'
import type { EventMessage, EventsOptions, EventStream } from '../../typescript/events.js'
import { RequestRefused } from '../../typescript/failures.js'
import { messageOf } from '../../../events/errors.js'
import { isSameState, type StreamState } from './stream-state.js'
import { taskSplitter } from './worker/worker-chunks.js'

/** How long messages are batched, in ms: about one frame of the screen. */
const BATCH_TIME = 16
/** The maximum size of a batch. Backpressure holds the server until it is processed. */
const BATCH_SIZE = 1000
const DENIED = 403
const GONE = 410

/** Commits that were pruned while the stream was disconnected. */
export interface StreamGap {
  /** The last commit that was read. */
  readonly after: number
  /** The oldest commit that is retained. */
  readonly until: number
}

export type NarrowStream = (refusal: RequestRefused, start: EventsOptions) => EventsOptions | undefined

export interface Follower {
  /** Receives the messages since the previous call, and delays the next call until it resolves. */
  readonly take: (messages: readonly EventMessage[]) => void | Promise<void>
  readonly onState: (state: StreamState) => void
  /** Reports a gap. A stream with a snapshot has none, because the snapshot is sent again. */
  readonly onGap?: (gap: StreamGap) => void
  /** Returns a replacement for a denied stream; undefined for none. */
  readonly narrowed?: NarrowStream
}

export interface Following {
  readonly retry: () => void
}

class Batches {
  #pending: EventMessage[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #taken: Promise<void> = Promise.resolve()
  /** One read of the network may contain thousands of messages. */
  readonly #splitTask = taskSplitter()

  constructor(private readonly take: Follower['take']) {}

  /** Resolves when the next message may be put. */
  async put(message: EventMessage): Promise<void> {
    this.#pending.push(message)
    if (this.#pending.length >= BATCH_SIZE) await this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), BATCH_TIME)
    await this.#splitTask()
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#pending
    this.#pending = []
    if (batch.length > 0) this.#taken = this.#taken.then(() => this.take(batch))
    return this.#taken
  }
}

/** Returns the final state of a failed stream. */
export const refusalOf = (error: unknown): StreamState => ({
  refused: messageOf(error),
  status: error instanceof RequestRefused ? error.status : 0
})

/** Continues at the oldest retained commit. */
const afterGap = (
  start: EventsOptions,
  lastIndex: number,
  { headers, text }: RequestRefused,
  onGap: Follower['onGap']
): EventsOptions => {
  if (start.snapshot) return start
  const { index: _index, after: _after, since: _since, ...rest } = start
  // An open stream states the index in its last line, which has no headers.
  const oldestIndex = headers.get('X-Service-Oldest-Index') ?? /oldest index is (\d+)/.exec(text)?.[1]
  const oldest = Number(oldestIndex) || lastIndex + 1
  onGap?.({ after: lastIndex, until: oldest })
  return { ...rest, index: oldest }
}

/** @param signal ends the stream */
export const follow = (
  client: Pick<AnnalsClient<{}>, 'events'>,
  options: EventsOptions,
  { take, onState, onGap, narrowed }: Follower,
  signal: AbortSignal
): Following => {
  let stream: EventStream | undefined
  let state: StreamState = 'loading'
  let wasLive = false
  const report = (next: StreamState): void => {
    if (signal.aborted || isSameState(state, next)) return
    state = next
    onState(next)
  }
  const connected = (failure: Error | undefined): void => {
    if (failure === undefined) report(wasLive ? 'live' : 'loading')
    else if (typeof state === 'string') report({ lost: failure.message, since: Date.now(), wasLive })
  }
  const batches = new Batches(async messages => {
    if (signal.aborted) return
    await take(messages)
    if (!messages.some(({ Snapshot, CaughtUp }) => Snapshot === 'end' || CaughtUp)) return
    wasLive = true
    report('live')
  })
  const read = async (start: EventsOptions): Promise<void> => {
    stream = client.events({
      ...start,
      progress: true,
      patient: true,
      signal,
      onConnection: failure => connected(failure)
    })
    try {
      for await (const message of stream) await batches.put(message)
    } catch (error) {
      const next = error instanceof RequestRefused ? after(error, start, stream.lastIndex) : undefined
      if (!next) throw error
      if (next.snapshot) await batches.put({ Index: 0, Events: [], Snapshot: 'restart' })
      return read(next)
    }
    await batches.flush()
    report('ended')
  }
  /** Returns what to read after a refusal; undefined to fail. */
  const after = (
    refusal: RequestRefused,
    start: EventsOptions,
    lastIndex: number
  ): EventsOptions | undefined => {
    if (refusal.status === GONE && lastIndex > 0) return afterGap(start, lastIndex, refusal, onGap)
    if (refusal.status !== DENIED) return undefined
    if (!wasLive) return narrowed?.(refusal, start)
    // An open stream does not give the reason of its refusal, but the next request does.
    wasLive = false
    if (start.snapshot) return start
    const { index: _index, since: _since, ...rest } = start
    return { ...rest, after: lastIndex }
  }
  onState(state)
  read(options).catch((error: unknown) => {
    if (signal.aborted) return
    batches.flush().then(
      () => report(refusalOf(error)),
      () => {}
    )
  })
  return { retry: () => stream?.retry() }
}

// The part of a stream that a token without permission for the whole topics may read: each permitted event.
/** Undefined if there is no such part: ACL topics need one permission for all, and `any` is narrowed already. */
export const narrowToVisible = (options: EventsOptions): EventsOptions | undefined => {
  const { topics = [], filter } = options
  const parsed = topics.map(topic => topic.split(':'))
  if (parsed.some(([name = '']) => name === 'any' || name.startsWith('ACL'))) return undefined
  const names = [...new Set(parsed.map(([name = '']) => name))]
  const keys = [...new Set(topics.map(topic => /:(.*)/s.exec(topic)?.[1] ?? ''))]
  const isOfTopic = names.map(name => `Topic == ${JSON.stringify(name)}`).join(' or ')
  return {
    ...options,
    topics: keys.map(key => (key === '' ? 'any' : `any:${key}`)),
    filter: filter === undefined ? isOfTopic : `(${isOfTopic}) and (${filter})`
  }
}
