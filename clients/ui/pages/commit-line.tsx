// A commit in words: who changed what, and why.
import type { ComponentChildren } from 'preact'
import { InChangeSet, RelativeTime, Timeline, Who } from '../design/index.js'
import { isDeletion, addressOf, fieldsOf, titleOf, type Kind } from '../resources/kind.js'
import { config, kinds } from '../resources/kinds.js'
import type { AuditEvent, AuditLine } from '../../audit-lines.js'
import { streamedEvent } from './server/audit-query.js'

const fieldOf = ({ Payload = {} }: AuditEvent, name: string): unknown => fieldsOf(Payload)[name]

const isCreation = (event: AuditEvent, index: number): boolean => fieldOf(event, 'CreateIndex') === index

const actionOf = (event: AuditEvent, index: number): 'created' | 'rotated' | 'changed' | 'deleted' => {
  if (isDeletion(event)) return 'deleted'
  if (!isCreation(event, index)) return 'changed'
  return fieldOf(event, 'RotatedFrom') === undefined ? 'created' : 'rotated'
}

/** Events of the server itself, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ACLBootstrapped: 'set up access control',
  AnswersForgotten: 'deleted expired idempotent responses',
  AutopilotUpserted: 'changed the configuration of the cluster',
  ClusterIdentified: 'created the cluster',
  CursorMoved: 'moved a cursor',
  LogRetained: 'pruned the log',
  ReplicationEnded: 'ended replication',
  ReplicationMoved: 'continued replication'
}

/** Returns the events of a commit in the log's order, without the changes of tokens that it replaces by rotation. */
const mainEvents = ({ Events = [], Index = 0 }: AuditLine): readonly AuditEvent[] => {
  const creations = Events.filter(event => isCreation(event, Index))
  const replaced = new Set(creations.map(event => fieldOf(event, 'RotatedFrom')))
  return Events.filter(({ Key }) => !replaced.has(Key))
}

/** Returns the kind in words. Entries of one name differ in their kinds. */
const kindOf = (event: AuditEvent, { topic, one }: Kind): string =>
  topic === config.topic ? String(fieldOf(event, 'Kind')) : one

const Change = ({ event, index }: { readonly event: AuditEvent; readonly index: number }) => {
  const kind = kinds.find(({ topic }) => topic === event.Topic)
  if (!kind) return <>{WORDS[event.Type] ?? event.Type}</>
  return (
    <>
      {actionOf(event, index)} {kindOf(event, kind)}{' '}
      <a href={addressOf(kind, streamedEvent(event, index))}>
        {titleOf(kind, event.Payload ?? {}) || event.Key}
      </a>
      {event.Namespace && event.Namespace !== 'default' && ` in ${event.Namespace}`}
    </>
  )
}

interface Props {
  readonly lines: readonly AuditLine[]
  /** Follows the words of a commit. */
  readonly more?: (line: AuditLine) => ComponentChildren
}

export const CommitLines = ({ lines, more }: Props) => (
  <Timeline
    items={lines.map(line => {
      const { Index = 0, Time = '', By } = line
      const [first, ...others] = mainEvents(line)
      return {
        id: Index,
        content: (
          <>
            {By?.AccessorID === '' ? 'The server' : <Who accessor={By?.AccessorID} name={By?.TokenName} />}{' '}
            {first && <Change event={first} index={Index} />}
            {others.length > 0 && (
              <>
                {' '}
                and <a href={`/ui/events?from=${Index}`}>{others.length} more</a>
              </>
            )}{' '}
            <span class="values">{more?.(line)}</span> <InChangeSet {...By} />
            {By?.Reason && <q>{By.Reason}</q>}
          </>
        ),
        end: <RelativeTime at={Time} isShort />
      }
    })}
  />
)
