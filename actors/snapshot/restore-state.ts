// What there is while a snapshot is restored, and what was written since that began.
import type { Commit, Event } from '../../events/envelope.js'
import type { Lifecycles } from '../lifecycles.js'
import { RESTORE_PIECE } from './restore-snapshot.js'
import { LOG_TOPICS } from './restore-order.js'

/** Everything that an event tells but its type and index, as one text. */
const contentOf = ({ Topic, Key, Namespace, Partition, FilterKeys, Payload, Secrets }: Event): string =>
  JSON.stringify({ Topic, Key, Namespace, Partition, FilterKeys, Payload, Secrets })

/** A commit that a client asked for, and no part of the restore. */
const isOfClient = ({ By }: Commit): boolean => By.Command !== RESTORE_PIECE && By.RequestID !== ''

/** The end of a thing. */
interface RestoreDeletion {
  /** Ends it, with its last state. */
  readonly event: Event
  /** About its length as text. */
  readonly size: number
}

/** What there is, as the contents of last events: about as much text as the log has of it. */
export class RestoreState {
  /** By topic, and by what they are about. */
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
      // Taken out first, so that the order of the map is the order of the last events.
      contents.delete(identity)
      if (!this.lifecycles.isEnding(event)) contents.set(identity, contentOf(event))
    }
  }

  /** What there is of a topic, the oldest change first. */
  identities(topic: string): Iterable<string> {
    return this.#of(topic).keys()
  }

  /** Whether a client wrote or removed it since the restore began. */
  wasWritten(identity: string): boolean {
    return this.#written.has(identity)
  }

  /** Whether a thing is as this event leaves it, whatever it was that happened. */
  isAs(identity: string, event: Event): boolean {
    return this.#of(event.Topic).get(identity) === contentOf(event)
  }

  /** Undefined when the thing is not there, or its topic has no end. */
  endOf(topic: string, identity: string): RestoreDeletion | undefined {
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
