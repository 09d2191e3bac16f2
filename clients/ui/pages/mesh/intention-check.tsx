// Whether one service would reach another, and which intention decides it.
import { useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Badge } from '../../components/badge.js'
import { Refusal } from '../../components/refusal.js'
import { Table } from '../../components/table.js'
import { useResponse } from '../../session/use-response.js'
import { shortNameOf, decidingOf, formatIntention, sourceOf, type Intention } from './intention.js'

interface Pair {
  readonly source: string
  readonly destination: string
}

const HEAD = ['Decides', 'Source', 'Says', 'Precedence']

interface AnswerProps extends Pair {
  readonly query: Query
  /** Another number whenever the intentions have changed. */
  readonly turn: number
}

const Answer = ({ source, destination, query, turn }: AnswerProps) => {
  const asked = { ...query, source, destination }
  const check = useResponse<{ readonly Allowed: boolean }>('/v1/connect/intentions/check', asked, turn)
  const match = useResponse<Readonly<Record<string, readonly Intention[]>>>(
    '/v1/connect/intentions/match',
    { ...query, by: 'destination', name: destination },
    turn
  )
  const bearing = Object.values(match.value ?? {}).flat()
  const deciding = decidingOf(bearing, source)
  const isByRequest = (deciding?.Permissions?.length ?? 0) > 0
  return (
    <>
      <Refusal text={check.failure ?? match.failure} />
      {check.value && (
        <p role="status">
          <Badge tone={isByRequest ? 'warn' : check.value.Allowed ? 'good' : 'bad'}>
            {isByRequest ? 'by request' : check.value.Allowed ? 'allowed' : 'denied'}
          </Badge>{' '}
          {deciding
            ? `${shortNameOf(sourceOf(deciding))} decides: ${formatIntention(deciding)}.`
            : 'No intention that this token may read decides: the default policy does.'}
        </p>
      )}
      {bearing.length > 0 && (
        <Table
          label={`Intentions that bear on ${destination}`}
          head={HEAD}
          none=""
          rows={bearing.map(each => [
            each === deciding ? 'yes' : '',
            shortNameOf(sourceOf(each)),
            formatIntention(each),
            each.Precedence
          ])}
        />
      )}
    </>
  )
}

interface Props {
  readonly query: Query
  readonly turn: number
}

export const IntentionCheck = ({ query, turn }: Props) => {
  const [asked, setAsked] = useState<Pair>()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const text = (name: string): string => {
      const value = given.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    setAsked({ source: text('source'), destination: text('destination') })
  }
  return (
    <details class="reach" open={asked !== undefined}>
      <summary>Would one service reach another?</summary>
      <form class="choices" onSubmit={submit}>
        <label>
          From <input name="source" required placeholder="api" />
        </label>
        <label>
          To <input name="destination" required placeholder="web" />
        </label>
        <button type="submit">Ask</button>
      </form>
      {asked && <Answer {...asked} query={query} turn={turn} />}
    </details>
  )
}
