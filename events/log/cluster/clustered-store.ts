// A store that appends to the shared log first and to the own disk second.
import type { RecordGroup } from '../record-group.js'
import { DelegatingStore } from '../delegating-store.js'
import { WriteFailure, type RecordStore } from '../store.js'
import type { ClusterLink } from './cluster-link.js'
import { TermEnded, type Settlement, type Term } from './shared-log.js'
import { messageOf } from '../../errors.js'

export class ClusteredStore extends DelegatingStore {
  constructor(
    own: RecordStore,
    private readonly link: ClusterLink
  ) {
    super(own)
  }

  /**
   * Appends a group to the shared log, then to this disk.
   * @throws WriteFailure `unchanged` if another server leads or the shared log is full; `unknown` if only this disk failed,
   *   when the group is in the log
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
