// Keeps the archive that is being restored on several servers of the cluster, so that whoever leads can go on with it.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { abortAfter } from '../../../actors/clock.js'
import { Refusal } from '../../../actors/refusal.js'
import type { ArchiveStore, StoredArchive, VerifiedArchive } from '../../../actors/snapshot/archive-store.js'
import { hasCode } from '../../../events/errors.js'
import { SharedUnreachable, type Member, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import { PRUNED_STATUS } from '../../../http/routes/internal/log.js'
import { RESTORES_PATH } from '../../../http/routes/internal/restores.js'
import type { DiskArchiveStore } from '../../../http/routes/snapshot/disk-archive-store.js'
import type { SignedRequests } from './signed-requests.js'

/** How long another server may take to get an archive, in ms. */
const SPREAD_MS = 60_000
/** How long to wait before the others are asked again for an archive that is needed here, in ms. */
const PAUSE_MS = 500
const OK = 200

interface SharedShelfParts {
  readonly disk: Pick<DiskArchiveStore, 'take' | 'reopen' | 'keep' | 'clear'>
  readonly shared: Pick<SharedLog, 'members' | 'joined'>
  readonly signed: Pick<SignedRequests, 'send'>
  /** ID of this server’s own node. */
  readonly own: string
  /** Servers that must have an archive before its restore begins, this one among them; all that are there, if they are fewer. */
  readonly copies: number
}

export class ReplicatedArchiveStore implements ArchiveStore {
  constructor(private readonly parts: SharedShelfParts) {}

  take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<StoredArchive> {
    return this.parts.disk.take(bytes, signal, pin)
  }

  /** Resolves when enough of the other servers have fetched it; those that are slower go on with that. */
  async spread(digest: string, signal: AbortSignal): Promise<void> {
    const others = await this.#others('members')
    const needed = Math.min(this.parts.copies - 1, others.length)
    const given = AbortSignal.any([signal, abortAfter(SPREAD_MS)])
    await new Promise<void>((resolve, reject) => {
      let [kept, failed] = [0, 0]
      const note = (hasIt: boolean): void => {
        if (hasIt) kept++
        else failed++
        if (kept >= needed) resolve()
        else if (failed > others.length - needed)
          reject(
            new Refusal(
              'unavailable',
              'Too few servers of the cluster can keep the snapshot: nothing was changed; try again later'
            )
          )
      }
      if (needed <= 0) resolve()
      for (const { address } of others)
        void this.#givenTo(address, digest, given).then(note, () => note(false))
    })
    signal.throwIfAborted()
  }

  /** Waits for a server that has it, as long as there is one that may be back with it. */
  async reopen(digest: string, signal: AbortSignal): Promise<VerifiedArchive | undefined> {
    const { disk } = this.parts
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

  /**
   * Has the archive here as well.
   * @returns `nowhere` when no server that has ever joined has it; `unknown` when one that cannot be asked now may have it
   */
  async fetch(digest: string, signal: AbortSignal): Promise<'here' | 'nowhere' | 'unknown'> {
    try {
      const asked = new Set<string>()
      for (const { id, address } of await this.#others('members')) {
        const answer = await this.#ask(address, 'GET', digest, signal)
        if (answer?.statusCode === OK) {
          await this.parts.disk.keep(digest, answer, signal)
          return 'here'
        }
        answer?.resume()
        if (answer?.statusCode === PRUNED_STATUS) asked.add(id)
      }
      const joined = await this.#others('joined')
      return joined.every(({ id }) => asked.has(id)) ? 'nowhere' : 'unknown'
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SharedUnreachable || isOfConnection(error)) return 'unknown'
      throw error
    }
  }

  clear(): Promise<void> {
    return this.parts.disk.clear()
  }

  async #others(which: 'members' | 'joined'): Promise<readonly Member[]> {
    return (await this.parts.shared[which]()).filter(({ id }) => id !== this.parts.own)
  }

  /** Whether another server has the archive now. */
  async #givenTo(address: string, digest: string, signal: AbortSignal): Promise<boolean> {
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
    const outgoing = {
      method,
      url: `${RESTORES_PATH}/${digest}`,
      headers: [],
      onAsked: () => {},
      isLong: true
    }
    const attempt = await this.parts.signed.send(address, outgoing, signal)
    return attempt.kind === 'answered' ? attempt.answer : undefined
  }
}

/** Whether what another server sent broke off. */
const isOfConnection = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].some(code => hasCode(error, code))
