// Replicates the archive of a running restore to several servers, so that the next leader can continue the restore.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '../../../actors/refusal.js'
import type { ArchiveStore, StoredArchive, VerifiedArchive } from '../../../actors/snapshot/archive-store.js'
import type { Timers } from '../../../actors/clock.js'
import { hasCode, recovery } from '../../../events/errors.js'
import { SharedUnreachable, type Member, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import { PRUNED_STATUS, RESTORES_PATH } from '../../../http/routes/internal/cluster.js'
import type { DiskArchiveStore } from '../../../http/routes/snapshot/disk-archive-store.js'
import type { SignedRequests } from './signed-requests.js'

/** Time in which another server must fetch an archive. */
const SPREAD_MS = 60_000
/** Pause before the others are asked again for a missing archive. */
const PAUSE_MS = 500
const OK = 200

interface ReplicatedArchiveStoreOptions {
  readonly disk: Pick<DiskArchiveStore, 'take' | 'reopen' | 'keep' | 'clear'>
  readonly shared: Pick<SharedLog, 'members'>
  readonly signed: Pick<SignedRequests, 'send'>
  readonly timers: Pick<Timers, 'abortAfter'>
  readonly own: string
  /** Servers that must have an archive before its restore begins, including this one. Limited to the number of live servers. */
  readonly copies: number
}

export class ReplicatedArchiveStore implements ArchiveStore {
  constructor(private readonly options: ReplicatedArchiveStoreOptions) {}

  take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<StoredArchive> {
    return this.options.disk.take(bytes, signal, pin)
  }

  /** Resolves when enough other servers have fetched the archive. Slower ones continue to fetch it. @throws Refusal `unavailable` */
  async spread(digest: string, signal: AbortSignal): Promise<void> {
    const others = await this.#others('live').catch(
      recovery(SharedUnreachable, () => Promise.reject(tooFew()))
    )
    const { copies, timers } = this.options
    const needed = Math.min(copies - 1, others.length)
    const deadline = AbortSignal.any([signal, timers.abortAfter(SPREAD_MS)])
    await new Promise<void>((resolve, reject) => {
      let [stored, failed] = [0, 0]
      const note = (hasIt: boolean): void => {
        if (hasIt) stored++
        else failed++
        if (stored >= needed) resolve()
        else if (failed > others.length - needed) reject(tooFew())
      }
      if (needed <= 0) resolve()
      for (const { address } of others)
        void this.#copyTo(address, digest, deadline).then(note, () => note(false))
    })
    signal.throwIfAborted()
  }

  /** Waits for a server with the archive, as long as one may return. */
  async reopen(digest: string, signal: AbortSignal): Promise<VerifiedArchive | undefined> {
    const { disk } = this.options
    let archive = await disk.reopen(digest, signal)
    while (!archive) {
      const found = await this.fetch(digest, signal)
      if (found === 'nowhere') return undefined
      if (found === 'here') archive = await disk.reopen(digest, signal)
      else await setTimeout(PAUSE_MS)
      signal.throwIfAborted()
    }
    return archive
  }

  /** Fetches the archive from another server. @returns `nowhere` if no server that ever joined has it; `unknown` if an unreachable one may have it */
  async fetch(digest: string, signal: AbortSignal): Promise<'here' | 'nowhere' | 'unknown'> {
    try {
      const lacking = new Set<string>()
      for (const { id, address } of await this.#others('live')) {
        const answer = await this.#ask(address, 'GET', digest, signal)
        if (answer?.statusCode === OK) {
          await this.options.disk.keep(digest, answer, signal)
          return 'here'
        }
        answer?.resume()
        if (answer?.statusCode === PRUNED_STATUS) lacking.add(id)
      }
      const joined = await this.#others('joined')
      return joined.every(({ id }) => lacking.has(id)) ? 'nowhere' : 'unknown'
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SharedUnreachable || isOfConnection(error)) return 'unknown'
      throw error
    }
  }

  clear(): Promise<void> {
    return this.options.disk.clear()
  }

  async #others(which: 'live' | 'joined'): Promise<readonly Member[]> {
    return (await this.options.shared.members())[which].filter(({ id }) => id !== this.options.own)
  }

  /** Returns true if the other server now has the archive. */
  async #copyTo(address: string, digest: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#ask(address, 'PUT', digest, signal)
    answer?.resume()
    return answer?.statusCode === OK
  }

  /** Undefined without an answer. */
  async #ask(
    address: string,
    method: 'GET' | 'PUT',
    digest: string,
    signal: AbortSignal
  ): Promise<IncomingMessage | undefined> {
    const outgoing = { method, url: `${RESTORES_PATH}/${digest}`, isLong: true }
    const attempt = await this.options.signed.send(address, outgoing, signal)
    return attempt.kind === 'answered' ? attempt.answer : undefined
  }
}

const tooFew = (): Refusal =>
  new Refusal(
    'cluster.unavailable',
    'Too few servers of the cluster can keep the snapshot: nothing was changed; try again later'
  )

/** Returns true if the connection to the other server broke. */
const isOfConnection = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].some(code => hasCode(error, code))
