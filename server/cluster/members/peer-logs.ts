// The log of other servers of the cluster, for this one when it is behind what the servers share.
import type { IncomingMessage } from 'node:http'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PeersLackCommits, type PeerLogs } from '../../../events/log/cluster/log-follower.js'
import { recordPages } from '../../../events/log/cluster/record-stream.js'
import { SharedUnreachable, type ClusterSeed, type Member } from '../../../events/log/cluster/shared-log.js'
import { PRUNED_STATUS, LOG_BASES_PATH, LOG_FILES_PATH, LOG_PATH } from '../../../http/routes/internal/log.js'
import { unpackLog } from '../../../http/routes/snapshot/unpack-log.js'
import type { SignedRequests } from './signed-requests.js'
import { messageOf } from '../../../events/errors.js'

/** Files of a log that stay with the server: a copy comes without it. */
const SIGNING_KEY = 'signing-key'
const FILE_MODE = 0o600

interface PeerLogsDependencies {
  /** The other servers, as they announced themselves: those that are there now. @throws SharedUnreachable */
  readonly others: () => Promise<readonly Member[]>
  readonly signed: Pick<SignedRequests, 'send'>
}

export class HttpPeerLogs implements PeerLogs {
  constructor(private readonly parts: PeerLogsDependencies) {}

  async *records(from: number, signal: AbortSignal): ReturnType<PeerLogs['records']> {
    const answer = await this.#ask(`${LOG_PATH}?from=${from}`, signal)
    if (answer === 'gone') throw new PeersLackCommits(from)
    try {
      yield* recordPages(answer)
    } catch (error) {
      throw unreachable(error)
    }
  }

  /**
   * Copies the files of another server's log to a folder.
   * @param above only of one that has said that its log goes beyond this commit
   * @throws SharedUnreachable when none can be had now
   */
  async copyFiles(
    folder: string,
    { signingKey }: Pick<ClusterSeed, 'signingKey'>,
    above: number,
    signal: AbortSignal
  ): Promise<void> {
    const answer = await this.#ask(LOG_FILES_PATH, signal, above)
    if (answer === 'gone') throw new SharedUnreachable('no other server gives the files of its log')
    try {
      await unpackLog(answer, folder)
      await writeFile(join(folder, SIGNING_KEY), signingKey, { mode: FILE_MODE, flush: true })
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw unreachable(error)
    }
  }

  /** The file of a base, piece by piece. @throws SharedUnreachable when none can be had now */
  async *base(index: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const answer = await this.#ask(`${LOG_BASES_PATH}/${index}`, signal)
    if (answer === 'gone') throw new SharedUnreachable('no other server has the base')
    try {
      yield* answer
    } catch (error) {
      throw unreachable(error)
    }
  }

  /**
   * The first answer of another server, those first that have the most; `gone` when all that answer say so.
   * @throws SharedUnreachable when none answers
   */
  async #ask(url: string, signal: AbortSignal, above = -1): Promise<IncomingMessage | 'gone'> {
    const all = await this.parts.others()
    const others = all.filter(({ flushed }) => flushed > above).toSorted((a, b) => b.flushed - a.flushed)
    const outgoing = { method: 'GET', url, headers: [], onAsked: () => {}, isLong: true }
    let isGone = false
    const told: string[] = []
    for (const { address, name } of others) {
      const attempt = await this.parts.signed.send(address, outgoing, signal)
      if (attempt.kind !== 'answered') told.push(`${name} cannot be reached`)
      else if (attempt.answer.statusCode === 200) return attempt.answer
      else {
        attempt.answer.resume()
        isGone ||= attempt.answer.statusCode === PRUNED_STATUS
        told.push(`${name} answers ${attempt.answer.statusCode ?? 0}`)
      }
    }
    if (isGone) return 'gone'
    const why = told.length === 0 ? 'there is none' : told.join(', ')
    throw new SharedUnreachable(`no other server gives its log: ${why}`)
  }
}

const unreachable = (error: unknown): SharedUnreachable =>
  new SharedUnreachable(`the log of another server broke off: ${messageOf(error)}`, {
    cause: error
  })
