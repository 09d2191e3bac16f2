import type { IncomingMessage } from 'node:http'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PeersLackCommits, type PeerLogs } from '../../../events/log/cluster/log-follower.js'
import { recordPages } from '../../../events/log/cluster/record-stream.js'
import { SharedUnreachable, type ClusterSeed, type Member } from '../../../events/log/cluster/shared-log.js'
import { PRUNED_STATUS } from '../../../http/routes/internal/cluster.js'
import { LOG_BASES_PATH, LOG_FILES_PATH, LOG_PATH } from '../../../http/routes/internal/log.js'
import { unpackLog } from '../../../http/routes/snapshot/unpack-log.js'
import type { SignedRequests } from './signed-requests.js'
import { messageOf } from '../../../events/errors.js'

/** A log copy comes without the signing key. */
const SIGNING_KEY = 'signing-key'
const FILE_MODE = 0o600

interface PeerLogsDependencies {
  /** The other live servers, as they announced themselves. @throws SharedUnreachable */
  readonly others: () => Promise<readonly Member[]>
  readonly signed: Pick<SignedRequests, 'send'>
}

export class HttpPeerLogs implements PeerLogs {
  constructor(private readonly options: PeerLogsDependencies) {}

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
   * @param above copies only from a server whose log extends beyond this commit
   * @throws SharedUnreachable if no server provides them now
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

  /** Streams the file of a base snapshot. @throws SharedUnreachable if no server provides it now */
  async *base(index: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const answer = await this.#ask(`${LOG_BASES_PATH}/${index}`, signal)
    if (answer === 'gone') throw new SharedUnreachable('no other server has the base snapshot')
    try {
      yield* answer
    } catch (error) {
      throw unreachable(error)
    }
  }

  /**
   * Returns the first answer, from the most advanced server first; `gone` if no answering server has the data.
   * @throws SharedUnreachable without an answer
   */
  async #ask(url: string, signal: AbortSignal, above = -1): Promise<IncomingMessage | 'gone'> {
    const all = await this.options.others()
    const others = all.filter(({ flushed }) => flushed > above).toSorted((a, b) => b.flushed - a.flushed)
    const outgoing = { method: 'GET', url, isLong: true }
    let isGone = false
    const failures: string[] = []
    for (const { address, name } of others) {
      const attempt = await this.options.signed.send(address, outgoing, signal)
      if (attempt.kind !== 'answered') failures.push(`${name} cannot be reached`)
      else if (attempt.answer.statusCode === 200) return attempt.answer
      else {
        attempt.answer.resume()
        isGone ||= attempt.answer.statusCode === PRUNED_STATUS
        failures.push(`${name} answers ${attempt.answer.statusCode ?? 0}`)
      }
    }
    if (isGone) return 'gone'
    const why = failures.length === 0 ? 'there is none' : failures.join(', ')
    throw new SharedUnreachable(`no other server gives its log: ${why}`)
  }
}

const unreachable = (error: unknown): SharedUnreachable =>
  new SharedUnreachable(`the log of another server broke off: ${messageOf(error)}`, { cause: error })
