import { inject, Lifecycle, scoped } from 'tsyringe'
import type { UsagePeers } from '../../../http/wire/collected-usage.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { textOf } from '../transport/response-text.js'
import type { Member as AnyMember } from '../../../events/log/cluster/shared-log.js'
import { SHARED_LOG } from './shared-log.js'
import { SignedRequests } from './signed-requests.js'

type Member = Pick<AnyMember, 'id' | 'name' | 'address'>

const MAX_BYTES = 64 * 1024 * 1024

/** Asks the other servers of the cluster for the questions that their tokens asked. */
@scoped(Lifecycle.ContainerScoped)
export class PeerUsage implements UsagePeers {
  constructor(
    @inject(SETTINGS) private readonly settings: Pick<Settings, 'node_id'>,
    @inject(SHARED_LOG)
    private readonly shared: { readonly members: () => Promise<{ readonly live: readonly Member[] }> },
    private readonly signed: SignedRequests
  ) {}

  async ask(...[url, secret, signal]: Parameters<UsagePeers['ask']>): ReturnType<UsagePeers['ask']> {
    const members = (await this.shared.members()).live.filter(({ id }) => id !== this.settings.node_id)
    return Promise.all(
      members.map(async member => ({
        name: member.name,
        bytes: await this.#bytesOf(member, url, secret, signal).catch(() => undefined)
      }))
    )
  }

  /** @throws Error if the answer is too long or breaks off */
  async #bytesOf(
    { address }: Member,
    url: string,
    secret: string | undefined,
    signal: AbortSignal
  ): Promise<Buffer | undefined> {
    const headers = secret === undefined ? [] : ['X-Service-Token', secret]
    const attempt = await this.signed.send(address, { method: 'GET', url, headers, isLong: true }, signal)
    if (attempt.kind !== 'answered') return undefined
    const text = await textOf(attempt.answer, MAX_BYTES)
    return attempt.answer.statusCode === 200 ? Buffer.from(text) : undefined
  }
}
