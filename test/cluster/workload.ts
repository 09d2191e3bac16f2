// Clients that write continuously during faults, and record the response of each write.
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { send, type TestResponse } from '../support/client.js'
import { ROOT } from '../support/server.js'
import { until } from '../support/wait.js'

/** `set`: a key of its own; `cas`: the same, if it is not there; `keyed`: sent again with its idempotency key until the outcome is known. */
type WriteKind = 'set' | 'cas' | 'keyed'

/**
 * `acknowledged`: it is in the log at an index. `refused`: the server said that nothing was changed. `unknown`: there was no
 * answer, or it says that the outcome is not known.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

export interface Write {
  readonly key: string
  readonly kind: WriteKind
  readonly outcome: Outcome
  /** Of what was acknowledged. */
  readonly index: number | undefined
  /** When the answer came, in ms of the monotonic clock. */
  readonly at: number
  /** Status and text of the last answer, or the fault. */
  readonly response: string
}

export interface WorkloadOptions {
  /** The servers that are written to, each client in turn to all of them. Asked again for each write. */
  readonly bases: () => readonly string[]
  readonly clients?: number
  readonly kinds?: readonly WriteKind[]
  /** What all keys begin with; must differ where two workloads write to one cluster. */
  readonly prefix?: string
  /** How long a client waits between two writes, in ms. */
  readonly rest?: number
  /** How long a client waits for an answer, in ms; longer than a server holds a write when absent. */
  readonly patience?: number
}

export interface Workload {
  /** Everything that was written so far. */
  readonly writes: readonly Write[]
  /** Resolves when so many more writes were acknowledged than now. */
  acknowledges(count: number): Promise<void>
  /** The longest time without an acknowledged write since the first one, in ms. */
  longestPause(): number
  /** Lets every client finish its write. */
  stop(): Promise<void>
}

/** An answer takes at most what a server may hold a write for; a client waits longer. */
const PATIENCE = 30_000
/** After a fault a client waits, in ms, so that those of a server that is gone do not spin. */
const AFTER_FAULT = 20

const NOT_SENT = /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/

interface WriteResult {
  readonly outcome: Outcome
  readonly index: number | undefined
  readonly response: string
}

const resultOf = ({ status, headers, text }: TestResponse): WriteResult => {
  const said = `${status} ${text}`
  if (status === 200 && text === 'true')
    return { outcome: 'acknowledged', index: Number(headers['x-service-index']), response: said }
  if (headers['x-service-outcome'] === 'unknown')
    return { outcome: 'unknown', index: undefined, response: said }
  return { outcome: 'refused', index: undefined, response: said }
}

const fault = (error: unknown): WriteResult => {
  const text = String(error)
  return { outcome: NOT_SENT.test(text) ? 'refused' : 'unknown', index: undefined, response: text }
}

/** Begins to write at once. Stopped by `stop` alone. */
export const startWorkload = (options: WorkloadOptions): Workload => {
  const {
    bases,
    clients = 8,
    kinds = ['set', 'cas', 'keyed'],
    prefix = 'w',
    rest = 0,
    patience = PATIENCE
  } = options
  const writes: Write[] = []
  const times: number[] = []
  let next = 0
  const life = { over: false }

  const once = async (base: string, kind: WriteKind, key: string, agent: Agent): Promise<WriteResult> => {
    const headers: Record<string, string> =
      kind === 'keyed' ? { 'x-service-idempotency-key': `key-of-${key}` } : {}
    const path = `/v1/kv/${key}${kind === 'cas' ? '?cas=0' : ''}`
    try {
      return resultOf(
        await send(base, 'PUT', path, {
          token: ROOT,
          body: `value-of-${key}`,
          headers,
          agent,
          timeout: patience
        })
      )
    } catch (error) {
      return fault(error)
    }
  }

  const write = async (turn: number, agent: Agent): Promise<void> => {
    const number = next++
    const kind = kinds[number % kinds.length] ?? 'set'
    const key = `${prefix}/${number}`
    let result: WriteResult
    for (let attempt = turn; ; attempt++) {
      const list = bases()
      result = await once(list[attempt % list.length] ?? '', kind, key, agent)
      if (result.outcome !== 'acknowledged') await pause(AFTER_FAULT)
      if (kind !== 'keyed' || result.outcome === 'acknowledged' || life.over) break
    }
    const at = performance.now()
    // The last response of a keyed write says nothing about its earlier attempts.
    const outcome = kind === 'keyed' && result.outcome === 'refused' ? 'unknown' : result.outcome
    if (outcome === 'acknowledged') times.push(at)
    writes.push({ key, kind, at, ...result, outcome })
  }

  const client = async (first: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = first; !life.over; turn++) {
      await write(turn, agent)
      if (rest > 0) await pause(rest)
    }
    agent.destroy()
  }
  const running = Promise.all(Array.from({ length: clients }, (_, at) => client(at)))
  return {
    writes,
    acknowledges: async count => {
      const enough = times.length + count
      await until(
        `${count} more writes are acknowledged; the last response was ${writes.at(-1)?.response}`,
        () => times.length >= enough
      )
    },
    longestPause: () => times.slice(1).reduce((most, at, i) => Math.max(most, at - (times[i] ?? at)), 0),
    stop: async () => {
      life.over = true
      await running
    }
  }
}
