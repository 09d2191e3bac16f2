// The engine of a server of a cluster: what it appends is durable when it is shared, and then on its own disk.
import type { RecordGroup } from '../record-group.js'
import { DelegatingStore } from '../delegating-store.js'
import { WriteFailure, type RecordStore } from '../store.js'
import type { ClusterLink } from './cluster-link.js'
import { TermEnded, type Settlement, type Term } from './shared-log.js'
import { messageOf } from '../../errors.js'

export class ClusteredStore extends DelegatingStore {
  /** @param own is on this server's disk */
  constructor(
    own: RecordStore,
    private readonly link: ClusterLink
  ) {
    super(own)
  }

  /**
   * Appends a group to what is shared, and then to this disk. It may take long to be certain of the first.
   * @throws WriteFailure `unchanged` when another server leads, or what is shared takes no more; `unknown` when only this disk has
   *   failed: then it is in the log
   */
  async write(group: RecordGroup): Promise<void> {
    const { term } = this.link
    if (!term) throw new WriteFailure('this server does not lead', 'unchanged')
    if ((await this.#append(term, group)) === 'refuted') {
      const failure = new WriteFailure('another server leads', 'unchanged')
      this.link.depose(failure)
      throw failure
    }
    try {
      await this.own.write(group)
    } catch (cause) {
      // What comes next could not continue what is shared.
      this.link.depose(cause)
      throw new WriteFailure(messageOf(cause), 'unknown', { cause })
    }
  }

  async #append(term: Term, group: RecordGroup): Promise<Settlement> {
    try {
      return await this.link.shared.append(term, this.own.head, group)
    } catch (cause) {
      if (!(cause instanceof WriteFailure) || cause instanceof TermEnded) this.link.depose(cause)
      if (cause instanceof WriteFailure) throw cause
      throw new WriteFailure(messageOf(cause), 'unknown', { cause })
    }
  }
}
