// Cursors of the event stream, webhooks among them: where each stands, how far it is behind, and whether it is well.
import { useMemo, useState } from 'preact/hooks'
import { useStream } from '../../live/use-stream.js'
import { Badge } from '../../components/badge.js'
import { Table } from '../../components/table.js'
import { useResponse } from '../../session/use-response.js'
import { CursorActions } from './cursor-actions.js'
import type { Cursor } from './cursor.js'
import { usePageRefreshTimer } from './refresh-timer.js'
import { Section } from './section.js'
import { countText, spanText, Time } from './formatters.js'

/** How a webhook does. */
const Delivery = ({ Disabled, Delivery: delivery, DeadLetters, LastDeadLetter }: Cursor) => {
  if (Disabled !== undefined) return <Badge tone="bad">disabled: {Disabled}</Badge>
  if (!delivery) return null
  const { State, Attempts, LastError, NextAttemptAt, LastDeliveredAt } = delivery
  return (
    <>
      <Badge tone={State === 'delivering' ? 'good' : State === 'stopped' ? 'bad' : 'warn'}>{State}</Badge>{' '}
      {Attempts > 0 && `${Attempts} attempts failed. `}
      {LastError}{' '}
      {NextAttemptAt && (
        <>
          Next attempt <Time at={NextAttemptAt} />.{' '}
        </>
      )}
      {LastDeliveredAt && (
        <>
          Last taken <Time at={LastDeliveredAt} />.{' '}
        </>
      )}
      {LastDeadLetter && (
        <>
          <Badge tone="warn">{DeadLetters} given up</Badge> commits {LastDeadLetter.From} to{' '}
          {LastDeadLetter.To}: {LastDeadLetter.Reason}
        </>
      )}
    </>
  )
}

/** What was changed of a cursor is told by its event; how far it is behind is not. */
const useCursors = () => {
  const { turn } = usePageRefreshTimer()
  const [changes, setChanges] = useState(0)
  const happens = useMemo(() => ({ topics: ['Cursor'], index: 'now', namespace: '*' }) as const, [])
  useStream(happens, messages => {
    if (messages.some(({ Events }) => Events.length > 0)) setChanges(before => before + 1)
  })
  const asked = useResponse<readonly Cursor[]>('/v1/event/cursors', {}, turn + changes)
  return { ...asked, ask: () => setChanges(before => before + 1) }
}

const behind = ({ LagCommits, LagSeconds }: Cursor) => [
  countText(LagCommits),
  LagSeconds ? spanText(LagSeconds) : ''
]

export const Cursors = () => {
  const { value, failure, ask } = useCursors()
  const readers = value?.filter(({ URL }) => URL === undefined) ?? []
  const webhooks = value?.filter(({ URL }) => URL !== undefined) ?? []
  const deedsOf = (cursor: Cursor) => <CursorActions key="deeds" cursor={cursor} done={ask} />
  return (
    <>
      <Section title="Cursors" failure={failure}>
        {value && (
          <Table
            label="Cursors of streams"
            head={[
              'Name',
              'Topics',
              'Index',
              'Commits behind',
              'Oldest of them',
              'Moved',
              'Lease',
              'Owner',
              'Actions'
            ]}
            rows={readers.map(cursor => [
              cursor.Name,
              cursor.Topics.join(', '),
              cursor.Index,
              ...behind(cursor),
              <Time key="moved" at={cursor.MovedAt} />,
              cursor.Lease,
              <span key="owner" title={cursor.Owner}>
                {cursor.Owner.slice(0, 8)}
              </span>,
              deedsOf(cursor)
            ])}
            none="There are no cursors that this token may see."
          />
        )}
      </Section>
      <Section title="Webhooks">
        {value && (
          <Table
            label="Webhooks"
            head={['Name', 'Topics', 'URL', 'Index', 'Commits behind', 'Oldest of them', 'State', 'Actions']}
            rows={webhooks.map(cursor => [
              cursor.Name,
              cursor.Topics.join(', '),
              cursor.URL,
              cursor.Index,
              ...behind(cursor),
              <Delivery key="delivery" {...cursor} />,
              deedsOf(cursor)
            ])}
            none="There are no webhooks that this token may see."
          />
        )}
      </Section>
    </>
  )
}
