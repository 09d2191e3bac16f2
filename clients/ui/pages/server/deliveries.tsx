// The units of consumer groups and the ranges of webhooks that were not delivered.
import type { Schemas } from '../../../typescript/typed/index.js'
import { announce, Badge, ConfirmButton, Section, Table, RelativeTime } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import { countText } from './formatters.js'
import { send, sendJson } from '../send.js'

export type Cursor = Schemas['Cursor']

export const cursorPath = ({ Name }: Cursor): string => `/v1/event/cursor/${encodeURIComponent(Name)}`

export interface CursorProps {
  readonly cursor: Cursor
  readonly done: () => void
}

/** The commits that the receiver of a webhook did not accept, and a button that sends them again. */
export const Undelivered = ({ cursor, cursor: { Name, Undelivered: ranges = [] }, done }: CursorProps) => (
  <Section title={`Undelivered to ${Name}`}>
    <Table
      label={`Undelivered to ${Name}`}
      head={['Commits', 'Given up', 'Last answer']}
      rows={ranges.map(({ From, To, At, Reason }) => [
        <a href={`/ui/events?from=${From}`}>{From === To ? From : `${From} to ${To}`}</a>,
        <RelativeTime at={At} isShort />,
        Reason
      ])}
    />
    <ConfirmButton
      label="Redeliver"
      title={`Send these commits to ${Name} again?`}
      isHarmless
      action={async reason => {
        const path = `${cursorPath(cursor)}/redeliver`
        const results = await sendJson<readonly { Reason?: string }[]>('POST', path, { body: {}, reason })
        const failed = results.find(({ Reason }) => Reason !== undefined)
        done()
        if (failed) throw new Error(failed.Reason)
        announce(`${Name} accepted the commits.`)
      }}
    >
      They are sent in order. The first one that the receiver does not accept ends the attempt.
    </ConfirmButton>
  </Section>
)

/** The units of a consumer group that are not acknowledged. Parked ones are delivered again or removed. */
export const Units = ({ cursor, done, turn }: CursorProps & { readonly turn: number }) => {
  const path = `${cursorPath(cursor)}/units`
  const found = useResponse<readonly Schemas['ListedUnit'][]>(path, {}, turn)
  const settle = (action: 'replay' | 'drop', units: readonly Schemas['ListedUnit'][]) => (
    <ConfirmButton
      key={action}
      label={action === 'replay' ? 'Replay' : 'Drop'}
      title={`${action === 'replay' ? 'Deliver' : 'Drop'} ${countText(units.length)} parked?`}
      isHarmless={action === 'replay'}
      action={reason => {
        const body = { Units: units.map(({ Index, Unit }) => ({ Index, Unit })) }
        return send('POST', `${path}/${action}`, { body, reason })
      }}
      done={done}
    >
      {action === 'replay'
        ? 'Members receive them again, with a new count of deliveries.'
        : 'No member receives them any more. Their events stay in the log.'}
    </ConfirmButton>
  )
  const parked = (found.value ?? []).filter(({ State }) => State === 'parked')
  return (
    <Section title={`Units of ${cursor.Name}`} failure={found.failure}>
      <Table
        label={`Units of ${cursor.Name}`}
        head={['State', 'Commit', 'Resource', 'Deliveries', 'Member', 'Next delivery', 'Reason', 'Actions']}
        none="All delivered units are acknowledged."
        rows={found.value?.map(unit => [
          <Badge tone={unit.State === 'parked' ? 'warn' : 'plain'}>{unit.State}</Badge>,
          <a href={`/ui/events?from=${unit.Index}`}>{unit.Index}</a>,
          unit.Topic === undefined ? 'hidden' : `${unit.Topic} ${unit.Key ?? ''}`,
          unit.Deliveries,
          unit.Member,
          unit.NotBefore && <RelativeTime at={unit.NotBefore} isShort />,
          unit.Reason,
          unit.State === 'parked' && (
            <span class="actions">{[settle('replay', [unit]), settle('drop', [unit])]}</span>
          )
        ])}
      />
      {parked.length > 1 && (
        <p class="choices">
          All {parked.length} parked units: {settle('replay', parked)} {settle('drop', parked)}
        </p>
      )}
    </Section>
  )
}
