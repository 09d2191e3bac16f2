// One event: who made it, why, what it says of its thing, and what it changed against the version before.
import { useAnswer } from '../../session/use-answer.js'
import { Changes } from '../../parts/changes.js'
import { Refusal } from '../../parts/refusal.js'
import { addressOf, nodeOf } from '../../things/kind.js'
import { kinds } from '../../things/kinds.js'
import { shown, type Version } from '../../things/versions.js'
import type { LineRow } from '../../live/worker/protocol.js'

interface Props {
  readonly line: LineRow
  readonly close: () => void
}

export const EventDetails = ({ line: { event, origin }, close }: Props) => {
  const { Topic, Key, Type, Namespace, Partition, Index, Payload } = event
  const { value, failure } = useAnswer<readonly Version[]>('/v1/event/history', {
    topic: Topic,
    key: Key,
    ns: Namespace || undefined,
    partition: Partition,
    node: nodeOf(event),
    before: Index + 1,
    limit: 1
  })
  const version = value?.find(each => each.Index === Index)
  const by = version?.By ?? origin
  const facts: readonly (readonly [string, unknown])[] = [
    ['Time', version?.Time ?? origin?.Time],
    ['Who', version?.By?.TokenName],
    ['Token', by?.AccessorID],
    ['From', by?.Address],
    ['Command', by?.Command],
    ['Reason', by?.Reason]
  ]
  const kind = kinds.find(({ topic }) => topic === Topic)
  return (
    <section class="details" aria-label={`Event ${Index}`} tabIndex={0}>
      <header>
        <h2>
          {Type} {Key}
        </h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      <dl>
        {facts.map(([name, fact]) =>
          typeof fact === 'string' && fact !== '' ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ) : null
        )}
      </dl>
      <p class="choices">
        {kind && <a href={addressOf(kind, event)}>The thing and its history</a>}
        {kind && <a href={`${addressOf(kind, event)}&at=${Index}`}>As it was at {Index}</a>}
        <a href={`/ui/?from=${Index}`}>The commit, and what followed</a>
      </p>
      <h3>Against the version before</h3>
      <Refusal text={failure} />
      {version?.Patch && <Changes patch={version.Patch} />}
      <h3>Payload</h3>
      <pre class="payload">{shown(Payload)}</pre>
    </section>
  )
}
