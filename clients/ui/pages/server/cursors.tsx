import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  announce,
  Badge,
  ConfirmButton,
  Field,
  formatRelativeTime,
  Section,
  Table,
  Who,
  RelativeTime
} from '../../design/index.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import { usePageRefreshTimer } from './live-page.js'
import { countText } from './formatters.js'
import { Streams } from './streams.js'
import { cursorPath, Undelivered, Units, type Cursor, type CursorProps } from './deliveries.js'
import { send, sendIfUnchanged } from '../send.js'
import { useChanges } from '../../live/use-stream.js'

/** Enables a disabled webhook, which continues at its index with its secret. @throws RequestRefused */
const enableWebhook = (cursor: Cursor, reason: string): Promise<unknown> => {
  const { Topics, Types, Filter, Namespace, Partition, Lease, URL } = cursor
  const body = { Topics, Types, Filter, Namespace, Partition, Lease, URL }
  return send('PUT', cursorPath(cursor), { body, reason })
}

const Move = ({ cursor, done }: CursorProps) => {
  const { Name, Index, LastDeadLetter, URL } = cursor
  const [to, setTo] = useState(String(LastDeadLetter ? LastDeadLetter.From - 1 : Index))
  const move = async (reason: string): Promise<void> => {
    await sendIfUnchanged(
      'PUT',
      cursorPath(cursor),
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
      <Field label="Index" name="Index" type="number" required value={to} change={setTo} />
    </ConfirmButton>
  )
}

const CursorActions = ({ cursor, done }: CursorProps) => {
  const { Name, Disabled, URL } = cursor
  return (
    <span class="actions">
      {Disabled !== undefined && (
        <ConfirmButton
          label="Enable"
          isHarmless
          title={`Enable ${Name}?`}
          action={reason => enableWebhook(cursor, reason)}
          done={done}
        >
          It continues after {cursor.Index}, and belongs to this token afterwards.
        </ConfirmButton>
      )}
      <Move cursor={cursor} done={done} />
      <ConfirmButton
        label="Delete"
        title={`Delete the cursor ${Name}?`}
        typed={Name}
        action={reason => send('DELETE', cursorPath(cursor), { reason })}
        done={() => {
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
      {LastError} {NextAttemptAt && <>Next attempt {<RelativeTime at={NextAttemptAt} isShort />}. </>}
      {LastDeliveredAt && <>Last taken {<RelativeTime at={LastDeliveredAt} isShort />}. </>}
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
  const [changes, refresh] = useTurn()
  useChanges(['Cursor'], refresh)
  const turn = usePageRefreshTimer()[0] + changes
  return { ...useResponse<readonly Cursor[]>('/v1/event/cursors', {}, turn), refresh, turn }
}

const groupText = ({ Group, Units: units = [] }: Cursor) => {
  const parked = units.filter(({ State }) => State === 'parked').length
  return (
    <>
      {parked > 0 && <Badge tone="warn">{parked} parked</Badge>} {Group?.MaxDeliveries} deliveries,{' '}
      {Group?.VisibilityTimeout} each, then {Group?.OnParked}
    </>
  )
}

type Column = readonly [title: string, cell: (cursor: Cursor) => ComponentChildren]

const COMMON: readonly Column[] = [
  ['Name', ({ Name }) => Name],
  ['Topics', ({ Topics }) => Topics.join(', ')],
  ['Index', ({ Index }) => Index],
  ['Commits behind', ({ LagCommits }) => countText(LagCommits)],
  ['Oldest', ({ LagSeconds }) => LagSeconds && formatRelativeTime(-LagSeconds * 1000, 0)]
]
const OWNER: Column = ['Owner', ({ Owner }) => <Who accessor={Owner} />]

/** The columns of each sort of cursor after the common ones. */
const SORTS = [
  {
    title: 'Cursors',
    isOf: ({ URL, Group }: Cursor) => URL === undefined && !Group,
    columns: [
      ['Moved', ({ MovedAt }: Cursor) => <RelativeTime at={MovedAt} isShort />],
      ['Lease', ({ Lease }: Cursor) => Lease],
      OWNER
    ]
  },
  {
    title: 'Consumer groups',
    isOf: ({ Group }: Cursor) => Boolean(Group),
    columns: [['Group', groupText], OWNER]
  },
  {
    title: 'Webhooks',
    isOf: ({ URL }: Cursor) => URL !== undefined,
    columns: [
      ['URL', ({ URL }: Cursor) => URL],
      ['State', Delivery]
    ]
  }
] as const

export const Cursors = () => {
  const { value, failure, refresh, turn } = useCursors()
  const withUndelivered = value?.filter(({ Undelivered: ranges = [] }) => ranges.length > 0) ?? []
  return (
    <>
      <Streams />
      {SORTS.map(({ title, isOf, columns }) => {
        const all: readonly Column[] = [
          ...COMMON,
          ...columns,
          ['Actions', cursor => <CursorActions cursor={cursor} done={refresh} />]
        ]
        return (
          <Section key={title} title={title} failure={title === 'Cursors' ? failure : undefined}>
            <Table
              label={title}
              head={all.map(([head]) => head)}
              rows={value?.filter(isOf).map(cursor => all.map(([, cell]) => cell(cursor)))}
              none={`There are no ${title.toLowerCase()} visible to this token.`}
            />
          </Section>
        )
      })}
      {value
        ?.filter(({ Group }) => Group)
        .map(cursor => (
          <Units key={cursor.Name} cursor={cursor} done={refresh} turn={turn} />
        ))}
      {withUndelivered.map(cursor => (
        <Undelivered key={cursor.Name} cursor={cursor} done={refresh} />
      ))}
    </>
  )
}
