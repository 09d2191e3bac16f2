// Folds the versions of resources up to an earlier index.
import type { Commit, Event } from '../../events/envelope.js'
import type { Views } from '../read-models.js'

/** A version whose content was erased. */
export interface ErasedVersion {
  readonly index: number
  readonly topic: string
  readonly key: string
}

const resourceOf = ({ Topic, Partition, Namespace, Key }: Event): string =>
  JSON.stringify([Topic, Partition, Namespace, Key])

/** Folds commits into read models, without the versions whose content was erased. */
export class HistoryFold {
  /** The newest versions of resources, as far as they were erased. */
  readonly #erased = new Map<string, ErasedVersion>()

  constructor(private readonly views: Views) {}

  /** The state is incomplete if the newest version of some resource was erased. */
  get firstErased(): ErasedVersion | undefined {
    const [first] = this.#erased.values()
    return first
  }

  /** @param commit with the events of the requested resources only */
  add(commit: Commit): void {
    const events: Event[] = []
    for (const event of commit.Events)
      if (event.Erased) {
        const { Topic: topic, Key: key } = event
        this.#erased.set(resourceOf(event), { index: commit.Index, topic, key })
      } else {
        if (this.#erased.size > 0) this.#erased.delete(resourceOf(event))
        events.push(event)
      }
    if (events.length > 0) this.views.applyHistorical({ ...commit, Events: events })
  }
}
