// Clients that read and write a few keys concurrently by all available means, and record requests and responses.
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { send, type TestResponse } from '../../support/client.js'
import type { Random } from '../../support/random.js'
import { ROOT } from '../../support/server.js'
import { linearizable, type Operation } from './checker.js'
import { keysModel, type Act, type Cell } from './keys-model.js'

interface HistoryOptions {
  /** The servers, asked again for each operation: each client goes to any of them. */
  readonly bases: () => readonly string[]
  readonly clients: number
  readonly random: Random
  /** Number of operations before the clients use new keys, which is what one check covers. */
  readonly operationsPerGroup: number
  /** Reads take it as their query; default and consistent ones when absent. */
  readonly reads?: readonly string[]
  /** How long a client waits between operations, in ms. */
  readonly rest?: number
  /** What keys begin with; must differ where two of these run on one cluster. */
  readonly prefix?: string
}

export interface Histories {
  /** Of all that is over, by group of keys: what was asked, without reads that got no answer and writes that were refused. */
  readonly groups: readonly (readonly Operation<Act>[])[]
  /** How many operations ended in which way: `read 200`, `cas unknown`. */
  readonly counts: ReadonlyMap<string, number>
  stop(): Promise<void>
}

const KEYS = ['a', 'b', 'c']
const PATIENCE = 30_000
const AFTER_FAULT = 20

/** What a client knows of a key: the version that it saw last. */
interface Seen {
  readonly value: string | undefined
  readonly index: number
}

interface Stored {
  readonly Value: string
  readonly ModifyIndex: number
  readonly Session?: string
}

type Done = boolean | undefined | 'refused'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Whether a write was done, when that is known. @throws Error when the server says that the fault is its own */
const doneBy = ({ status, headers, text }: TestResponse): Done => {
  if (status === 200) return text !== 'false'
  if (headers['x-service-outcome'] === 'unknown') return undefined
  if (status === 409) return false
  if (status === 503 || status === 429) return 'refused'
  throw new Error(`answered ${status} ${text}`)
}

/** A session for each client, that nothing but its client ends. */
const sessions = (base: string, count: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { status, text } = await send(base, 'PUT', '/v1/session/create', {
        token: ROOT,
        body: { NodeChecks: [], LockDelay: '0s' }
      })
      if (status !== 200) throw new Error(`a session was answered ${status} ${text}`)
      const { ID }: { readonly ID: string } = JSON.parse(text)
      return ID
    })
  )

/** Begins at once. */
export const startClients = async (options: HistoryOptions): Promise<Histories> => {
  const {
    bases,
    clients,
    random,
    operationsPerGroup,
    reads = ['', '?consistent'],
    rest = 0,
    prefix = 'l'
  } = options
  const groups: Operation<Act>[][] = []
  const counts = new Map<string, number>()
  const life = { over: false }
  let asked = 0
  const ids = await sessions(bases()[0] ?? '', clients)

  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const pick = <T>(list: readonly T[]): T => {
    const one = list[random.below(list.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }

  const client = async (session: string): Promise<void> => {
    const agent = new Agent({ keepAlive: true })
    const seen = new Map<string, Seen>()
    /** Paths that it has acquired, and not released since. */
    const holds = new Set<string>()
    const ask = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
      send(pick(bases()), method, path, {
        token: ROOT,
        agent,
        timeout: PATIENCE,
        ...(body === undefined ? {} : { body })
      })

    const keep = (group: number, start: number, what: Act, isKnown: boolean): void => {
      const list = (groups[group] ??= [])
      list.push({ asked: start, answered: isKnown ? performance.now() : Infinity, what })
    }

    const read = async (group: number, key: string): Promise<void> => {
      const start = performance.now()
      const query = pick(reads)
      const answer = await ask('GET', `/v1/kv/${prefix}/${group}/${key}${query}`).catch(() => undefined)
      count(`read${query} ${answer?.status ?? 'unanswered'}`)
      if (answer?.status !== 200 && answer?.status !== 404) return
      const [stored]: readonly Stored[] = answer.status === 404 ? [] : JSON.parse(answer.text)
      const value = stored && Buffer.from(stored.Value, 'base64').toString()
      const found: Cell | undefined = value === undefined ? undefined : { value, holder: stored?.Session }
      seen.set(`${group}/${key}`, { value, index: stored?.ModifyIndex ?? 0 })
      keep(group, start, { kind: 'read', key, found }, true)
    }

    /** Sends a write, and records the response. */
    const write = async (
      group: number,
      kind: Act['kind'],
      sendIt: () => Promise<TestResponse>,
      act: (done: boolean | undefined) => Act
    ) => {
      const start = performance.now()
      let done: Done
      try {
        done = doneBy(await sendIt())
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('answered')) throw error
        done = /ECONNREFUSED|EHOSTUNREACH/.test(String(error)) ? 'refused' : undefined
      }
      count(`${kind} ${done === undefined ? 'unknown' : String(done)}`)
      if (done === 'refused' || done === undefined) await pause(AFTER_FAULT)
      if (done !== 'refused') keep(group, start, act(done), done !== undefined)
    }

    const change = async (group: number, key: string, value: string): Promise<void> => {
      const path = `/v1/kv/${prefix}/${group}/${key}`
      const kind = holds.delete(path)
        ? 'release'
        : pick(['set', 'cas', 'cas', 'acquire', 'release', 'transaction'] as const)
      switch (kind) {
        case 'set':
          return await write(
            group,
            kind,
            () => ask('PUT', path, value),
            () => ({ kind, key, value })
          )
        case 'cas': {
          const { value: expected, index } = seen.get(`${group}/${key}`) ?? { value: undefined, index: 0 }
          return await write(
            group,
            kind,
            () => ask('PUT', `${path}?cas=${index}`, value),
            done => ({ kind, key, expected, value, done })
          )
        }
        case 'acquire':
        case 'release':
          return await write(
            group,
            kind,
            () => ask('PUT', `${path}?${kind}=${session}`, value),
            done => {
              if (kind === 'acquire' && done === true) holds.add(path)
              return { kind, key, session, value, done }
            }
          )
        case 'transaction': {
          const other = pick(KEYS.filter(one => one !== key))
          // Both versions are rarely the newest when they were seen some time ago.
          await read(group, key)
          await read(group, other)
          const writes = [key, other].map(one => ({
            key: one,
            expected: seen.get(`${group}/${one}`)?.value,
            value: `${value}-${one}`
          }))
          const operations = writes.map(({ key: one, value: text }) => ({
            KV: {
              Verb: 'cas',
              Key: `${prefix}/${group}/${one}`,
              Value: base64(text),
              Index: seen.get(`${group}/${one}`)?.index ?? 0
            }
          }))
          return await write(
            group,
            kind,
            () => ask('PUT', '/v1/txn', operations),
            done => ({ kind, writes, done })
          )
        }
      }
    }

    while (!life.over) {
      const number = asked++
      const group = Math.floor(number / operationsPerGroup)
      const key = pick(KEYS)
      if (random.below(2) === 0) await read(group, key)
      else await change(group, key, `v${number}`)
      if (rest > 0) await pause(rest)
    }
    agent.destroy()
  }
  const running = Promise.all(ids.map(client))
  return {
    groups,
    counts,
    stop: async () => {
      life.over = true
      await running
    }
  }
}

/** The groups whose operations have no order, with the operations of which none could come next; empty when all have one. */
export const violations = (groups: Histories['groups']): readonly string[] =>
  groups.flatMap((operations, group) => {
    const verdict = linearizable(keysModel, operations)
    if (verdict.kind === 'yes') return []
    const why = verdict.kind === 'no' ? JSON.stringify(verdict.stuck) : 'undecided'
    return [`group ${group} of ${operations.length} operations: ${why}`]
  })
