import type { Schemas } from '../../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { announce, Badge, ConfirmButton, Section, Table } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import { usePageRefreshTimer } from './live-page.js'
import { countText, spanText, Time } from './formatters.js'
import { send, sendIfUnchanged } from '../send.js'
import { useChanges } from '../use-task.js'

type Cursor = Schemas['Cursor']

const pathOf = ({ Name }: Cursor): string => `/v1/event/cursor/${encodeURIComponent(Name)}`

/** Enables a disabled webhook, which continues at its index with its secret. @throws RequestRefused */
const enableWebhook = async (cursor: Cursor, reason: string): Promise<void> => {
  const { Topics, Types, Filter, Namespace, Partition, Lease, URL } = cursor
  const body = { Topics, Types, Filter, Namespace, Partition, Lease, URL }
  await send('PUT', pathOf(cursor), { body, reason })
}

interface Props {
  readonly cursor: Cursor
  readonly done: () => void
}

const Move = ({ cursor, done }: Props) => {
  const { Name, Index, LastDeadLetter, URL } = cursor
  const [to, setTo] = useState(String(LastDeadLetter ? LastDeadLetter.From - 1 : Index))
  const move = async (reason: string): Promise<void> => {
    await sendIfUnchanged(
      'PUT',
      pathOf(cursor),
      { query: { cas: Index }, body: { Index: Number(to) }, reason },
      `${Name} is no longer at ${Index}: its reader has moved it`
    )
    announce(`${Name} was moved to ${to}.`)
    done()
  }
  return (
    <ConfirmButton
      label={LastDeadLetter ? 'Replay' : 'Move'}
      isHarmless
      title={`Move the cursor ${Name}?`}
      action={move}
    >
      <p>
        Its index is {Index}. {URL === undefined ? 'Its reader' : 'The receiver'} receives all events after
        the new index, including events that it already received.
        {LastDeadLetter && ` The commits ${LastDeadLetter.From} to ${LastDeadLetter.To} were dropped last.`}
      </p>
      <label>
        Index
        <input
          type="number"
          min={0}
          step={1}
          required
          value={to}
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </label>
    </ConfirmButton>
  )
}

const CursorActions = ({ cursor, done }: Props) => {
  const { Name, Disabled, URL } = cursor
  return (
    <span class="actions">
      {Disabled !== undefined && (
        <ConfirmButton
          label="Enable"
          isHarmless
          title={`Enable ${Name}?`}
          action={async reason => {
            await enableWebhook(cursor, reason)
            done()
          }}
        >
          It continues after {cursor.Index}, and belongs to this token afterwards.
        </ConfirmButton>
      )}
      <Move cursor={cursor} done={done} />
      <ConfirmButton
        label="Delete"
        title={`Delete the cursor ${Name}?`}
        typed={Name}
        action={async reason => {
          await send('DELETE', pathOf(cursor), { reason })
          announce(`${Name} was deleted.`)
          done()
        }}
      >
        {URL === undefined
          ? 'Streams that use it end, and the log may prune the commits that it retained.'
          : 'Its receiver gets no further events, and the log may prune the commits that it retained.'}
      </ConfirmButton>
    </span>
  )
}

const Delivery = ({ Disabled, Delivery: delivery, DeadLetters, LastDeadLetter }: Cursor) => {
  if (Disabled !== undefined) return <Badge tone="bad">disabled: {Disabled}</Badge>
  if (!delivery) return null
  const { State, Attempts, LastError, NextAttemptAt, LastDeliveredAt } = delivery
  return (
    <>
      <Badge tone={State === 'delivering' ? 'good' : State === 'stopped' ? 'bad' : 'warn'}>{State}</Badge>{' '}
      {Attempts > 0 && `${Attempts} attempts failed. `}
      {LastError} {NextAttemptAt && <>Next attempt {<Time at={NextAttemptAt} />}. </>}
      {LastDeliveredAt && <>Last taken {<Time at={LastDeliveredAt} />}. </>}
      {LastDeadLetter && (
        <>
          <Badge tone="warn">{DeadLetters} dropped</Badge> commits {LastDeadLetter.From} to{' '}
          {LastDeadLetter.To}: {LastDeadLetter.Reason}
        </>
      )}
    </>
  )
}

/** Events report changes of a cursor, but not its lag. */
const useCursors = () => {
  const { turn } = usePageRefreshTimer()
  const { turn: changes, refresh } = useChanges('Cursor')
  return { ...useResponse<readonly Cursor[]>('/v1/event/cursors', {}, turn + changes), refresh }
}

const behind = ({ LagCommits, LagSeconds }: Cursor) => [
  countText(LagCommits),
  LagSeconds ? spanText(LagSeconds) : ''
]

const HEAD = 'Name,Topics,Index,Commits behind,Oldest,Moved,Lease,Owner,Actions'.split(',')

export const Cursors = () => {
  const { value, failure, refresh } = useCursors()
  const readers = value?.filter(({ URL }) => URL === undefined) ?? []
  const webhooks = value?.filter(({ URL }) => URL !== undefined) ?? []
  const actionsOf = (cursor: Cursor) => <CursorActions key="actions" cursor={cursor} done={refresh} />
  return (
    <>
      <Section title="Cursors" failure={failure}>
        {value && (
          <Table
            label="Cursors of streams"
            head={HEAD}
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
              actionsOf(cursor)
            ])}
            none="There are no cursors visible to this token."
          />
        )}
      </Section>
      <Section title="Webhooks">
        {value && (
          <Table
            label="Webhooks"
            head={['Name', 'Topics', 'URL', 'Index', 'Commits behind', 'Oldest', 'State', 'Actions']}
            rows={webhooks.map(cursor => [
              cursor.Name,
              cursor.Topics.join(', '),
              cursor.URL,
              cursor.Index,
              ...behind(cursor),
              <Delivery key="delivery" {...cursor} />,
              actionsOf(cursor)
            ])}
            none="There are no webhooks visible to this token."
          />
        )}
      </Section>
    </>
  )
}
