// Reads a stream in batches for as long as it is wanted, and tells how it stands with it.
import type { AnnalsClient } from '../../typescript/annals-client.js'
import type { EventMessage, EventsOptions, EventStream } from '../../typescript/events.js'
import { RequestRefused } from '../../typescript/failures.js'
import { failureOf } from '../session/failure.js'
import { isSameState, type StreamState } from './stream-state.js'

/** How long messages are gathered before they are shown, in ms: about a frame of the screen. */
const GATHERED_FOR = 16
/** So many are shown at once; the server waits while they are dealt with. */
const MOST = 1000
const DENIED = 403
const GONE = 410

/** Commits that the log has let go of while the stream was away. */
export interface StreamGap {
  /** The last that was read. */
  readonly after: number
  /** The first that is still there. */
  readonly until: number
}

export type NarrowStream = (refusal: RequestRefused, start: EventsOptions) => EventsOptions | undefined

export interface Follower {
  /** Gets all that came since it was called last; the next call waits for it. */
  readonly take: (messages: readonly EventMessage[]) => void | Promise<void>
  readonly tell: (state: StreamState) => void
  /** Is told of commits that nobody can be told any more. A stream with a snapshot has none: what is there is told anew. */
  readonly miss?: (gap: StreamGap) => void
  /** What to read in place of what the token may not read, which is `start`; undefined for nothing. */
  readonly narrowed?: NarrowStream
}

export interface Following {
  /** Connects anew at once. */
  readonly retry: () => void
}

/** Gathers messages, and hands them on in order. */
class Batches {
  #waiting: EventMessage[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #taken: Promise<void> = Promise.resolve()

  constructor(private readonly take: Follower['take']) {}

  /** Resolves when another message may come. */
  async put(message: EventMessage): Promise<void> {
    this.#waiting.push(message)
    if (this.#waiting.length >= MOST) await this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), GATHERED_FOR)
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length > 0) this.#taken = this.#taken.then(() => this.take(batch))
    return this.#taken
  }
}

/** What is told of a failure after which nothing more comes. */
export const refusalOf = (error: unknown): StreamState => ({
  refused: failureOf(error),
  status: error instanceof RequestRefused ? error.status : 0
})

/** @param signal ends it */
export const follow = (
  client: Pick<AnnalsClient<{}>, 'events'>,
  options: EventsOptions,
  { take, tell, miss, narrowed }: Follower,
  signal: AbortSignal
): Following => {
  let stream: EventStream | undefined
  let state: StreamState = 'loading'
  let wasLive = false
  const say = (next: StreamState): void => {
    if (signal.aborted || isSameState(state, next)) return
    state = next
    tell(next)
  }
  const connected = (failure: Error | undefined): void => {
    if (failure === undefined) say(wasLive ? 'live' : 'loading')
    else if (typeof state === 'string') say({ lost: failure.message, since: Date.now(), wasLive })
  }
  const batches = new Batches(async messages => {
    if (signal.aborted) return
    await take(messages)
    if (!messages.some(({ Snapshot, CaughtUp }) => Snapshot === 'end' || CaughtUp)) return
    wasLive = true
    say('live')
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
    say('ended')
  }
  /** What to read after a refusal; undefined where nothing is left to be read. */
  const after = (
    refusal: RequestRefused,
    start: EventsOptions,
    lastIndex: number
  ): EventsOptions | undefined => {
    if (refusal.status === GONE && lastIndex > 0) return afterGap(start, lastIndex, refusal)
    if (refusal.status !== DENIED) return undefined
    if (!wasLive) return narrowed?.(refusal, start)
    // A stream that was open does not say why it may no longer be read; who asks again is told.
    wasLive = false
    if (start.snapshot) return start
    const { index: _index, since: _since, ...rest } = start
    return { ...rest, after: lastIndex }
  }
  /** How to go on where the log no longer has what comes next. */
  const afterGap = (
    start: EventsOptions,
    lastIndex: number,
    { headers, text }: RequestRefused
  ): EventsOptions => {
    if (start.snapshot) return start
    const { index: _index, after: _after, since: _since, ...rest } = start
    // A stream that was open says so in its last line, which has no headers.
    const told = headers.get('X-Service-Oldest-Index') ?? /oldest index is (\d+)/.exec(text)?.[1]
    const oldest = Number(told) || lastIndex + 1
    miss?.({ after: lastIndex, until: oldest })
    return { ...rest, index: oldest }
  }
  tell(state)
  read(options).catch((error: unknown) => {
    if (signal.aborted) return
    batches.flush().then(
      () => say(refusalOf(error)),
      () => {}
    )
  })
  return { retry: () => stream?.retry() }
}
