// Compares the signed checkpoints of servers: a log that shows different commits to different readers is found.
import { setTimeout as pause } from 'node:timers/promises'
import { UsageError, writeLines, type Console } from '../../../clients/cli/console.js'
import { hashFromBase64 } from '../../../events/log/evidence/base64.js'
import { isConsistent } from '../../../events/log/evidence/merkle.js'
import type { NoteKey } from '../../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../../events/log/evidence/proofs.js'
import { openCheckpoint, type TreeHead } from '../../../events/log/evidence/signed-checkpoint.js'
import { getOrCreate } from '../../../projections/maps.js'
import { isObject } from '../../../events/values.js'
import { download, keysOf } from './trusted-inputs.js'

interface WatchOptions {
  /** Base addresses. */
  readonly servers: readonly string[]
  /** Public keys of the log. */
  readonly key: readonly string[]
  /** Time between two comparisons, in ms. */
  readonly intervalMs: number
  readonly isOnce: boolean
}

interface SignedHead {
  readonly head: TreeHead
  readonly note: string
}

const inPart = ({ head }: SignedHead): string => `${head.size} commits of ${head.origin}`

/** One server, and the newest checkpoint that it has shown. */
class WatchedServer {
  #newest: SignedHead | undefined

  constructor(
    readonly base: string,
    private readonly keys: readonly NoteKey[]
  ) {}

  /** Returns its newest checkpoint, which contains the one before. @throws ProofFailed MalformedNote UsageError */
  async newest(): Promise<SignedHead> {
    const next = await this.#checkpoint('')
    const before = this.#newest
    if (before?.head.origin === next.head.origin) {
      if (next.head.size < before.head.size)
        throw new ProofFailed(`${this.base} went back from ${inPart(before)} to ${inPart(next)}`)
      await this.#prove(before, next)
    }
    this.#newest = next
    return next
  }

  /** Returns its checkpoint of a smaller size, which is contained in its newest one. @throws as `newest` */
  async at(size: number, newest: SignedHead): Promise<SignedHead> {
    if (size === newest.head.size) return newest
    const earlier = await this.#checkpoint(`?size=${size}`)
    if (earlier.head.origin !== newest.head.origin || earlier.head.size !== size)
      throw new ProofFailed(
        `${this.base} answered ${inPart(earlier)} instead of ${size} commits of ${newest.head.origin}`
      )
    await this.#prove(earlier, newest)
    return earlier
  }

  async #checkpoint(query: string): Promise<SignedHead> {
    const bytes = await download(`${this.base}/v1/event/checkpoint${query}`)
    return { head: openCheckpoint(bytes, { log: this.keys }).head, note: bytes.toString() }
  }

  async #prove(earlier: SignedHead, later: SignedHead): Promise<void> {
    const [from, to] = [earlier.head, later.head]
    const isProved =
      from.size === to.size
        ? from.root.equals(to.root)
        : isConsistent(from, to, await this.#proof(from.size, to.size))
    if (!isProved)
      throw new ProofFailed(
        `${this.base} signed ${inPart(later)} that do not begin with its ${inPart(earlier)}\n${earlier.note}\n${later.note}`
      )
  }

  async #proof(from: number, to: number): Promise<readonly Buffer[]> {
    const answer: unknown = JSON.parse(
      (await download(`${this.base}/v1/event/proof/consistency?from=${from}&to=${to}`)).toString()
    )
    const texts: readonly unknown[] =
      isObject(answer) && Array.isArray(answer['Hashes']) ? answer['Hashes'] : []
    return texts.flatMap(text => (typeof text === 'string' ? (hashFromBase64(text) ?? []) : []))
  }
}

interface Shown {
  readonly server: WatchedServer
  readonly newest: SignedHead
}

/** Compares servers with the same origin at the smallest size. @throws ProofFailed with both signed checkpoints */
const compare = async (shown: readonly Shown[]): Promise<void> => {
  const [first, ...others] = shown.toSorted((a, b) => a.newest.head.size - b.newest.head.size)
  if (!first) return
  for (const { server, newest } of others) {
    const other = await server.at(first.newest.head.size, newest)
    if (!other.head.root.equals(first.newest.head.root))
      throw new ProofFailed(
        `split view: ${first.server.base} and ${server.base} signed different trees of ${inPart(other)}\n${first.newest.note}\n${other.note}`
      )
  }
}

/** Compares all servers once. Returns a line for each, and for each origin. @throws ProofFailed MalformedNote */
async function* compareOnce(servers: readonly WatchedServer[], isStrict: boolean): AsyncGenerator<string> {
  const shown: Shown[] = []
  for (const server of servers)
    try {
      const newest = await server.newest()
      shown.push({ server, newest })
      yield `${server.base}: ${inPart(newest)}`
    } catch (error) {
      if (isStrict || !(error instanceof UsageError)) throw error
      yield `${server.base}: ${error.message}`
    }
  const byOrigin = new Map<string, Shown[]>()
  for (const each of shown) getOrCreate(byOrigin, each.newest.head.origin, (): Shown[] => []).push(each)
  for (const [origin, group] of byOrigin) {
    await compare(group)
    if (group.length > 1) yield `${origin}: ${group.length} servers agree`
  }
  if (byOrigin.size > 1)
    yield `${byOrigin.size} origins: a new incarnation has another tree, and is not compared`
}

/** Compares servers until they differ, or once. @throws ProofFailed if they differ; MalformedNote; UsageError */
export const watchServers = async (console: Console, options: WatchOptions): Promise<void> => {
  const { servers: bases, key, intervalMs, isOnce } = options
  if (key.length === 0)
    throw new UsageError('--key is missing: the public key of the log, from GET /v1/event/checkpoint/key')
  const servers = bases.map(base => new WatchedServer(base.replace(/\/+$/, ''), keysOf(key)))
  for (;;) {
    await writeLines(console.out, compareOnce(servers, isOnce))
    if (isOnce) return
    await pause(intervalMs)
  }
}
