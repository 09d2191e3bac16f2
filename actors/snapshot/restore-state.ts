// The state during a restore, and the resources that clients wrote since it began.
import type { Commit, Event } from '../../events/envelope.js'
import type { Lifecycles } from '../lifecycles.js'
import { RESTORE_PIECE } from './restore-snapshot.js'
import { LOG_TOPICS } from './restore-order.js'

/** The content of an event without type and index, as one text. */
const contentOf = ({ Topic, Key, Namespace, Partition, FilterKeys, Payload, Secrets }: Event): string =>
  JSON.stringify({ Topic, Key, Namespace, Partition, FilterKeys, Payload, Secrets })

/** True for a commit of a client. */
const isOfClient = ({ By }: Commit): boolean => By.Command !== RESTORE_PIECE && By.RequestID !== ''

interface RestoreDeletion {
  /** The event that deletes the resource, with its last state. */
  readonly event: Event
  /** Approximate length as text. */
  readonly size: number
}

/** The contents of last events: about as much text as the log holds of them. */
export class RestoreState {
  /** By topic and resource. */
  readonly #contents = new Map<string, Map<string, string>>()
  readonly #written = new Set<string>()

  /** @param begun index of the commit that began the restore */
  constructor(
    private readonly lifecycles: Lifecycles,
    private readonly begun: number
  ) {}

  apply(commit: Commit): void {
    const isWrite = commit.Index > this.begun && isOfClient(commit)
    for (const event of commit.Events) {
      if (LOG_TOPICS.has(event.Topic) || event.Erased) continue
      const identity = this.lifecycles.identityOf(event)
      if (isWrite) this.#written.add(identity)
      const contents = this.#of(event.Topic)
      // Deleted first, so that the map is in the order of the last events.
      contents.delete(identity)
      if (!this.lifecycles.isEnding(event)) contents.set(identity, contentOf(event))
    }
  }

  /** The resources of a topic, the oldest change first. */
  identities(topic: string): Iterable<string> {
    return this.#of(topic).keys()
  }

  /** True for a resource that a client wrote or deleted since the restore began. */
  wasWritten(identity: string): boolean {
    return this.#written.has(identity)
  }

  /** True when the resource equals the state in this event, whatever its last event was. */
  equals(identity: string, event: Event): boolean {
    return this.#of(event.Topic).get(identity) === contentOf(event)
  }

  /** Undefined for a missing resource or a topic without deletions. */
  deletionOf(topic: string, identity: string): RestoreDeletion | undefined {
    const content = this.#of(topic).get(identity)
    const Type = this.lifecycles.endingOf(topic)
    if (content === undefined || Type === undefined) return undefined
    const { Secrets: _, ...last }: Event = JSON.parse(content)
    return { event: { ...last, Type }, size: content.length }
  }

  #of(topic: string): Map<string, string> {
    let contents = this.#contents.get(topic)
    if (!contents) this.#contents.set(topic, (contents = new Map()))
    return contents
  }
}
