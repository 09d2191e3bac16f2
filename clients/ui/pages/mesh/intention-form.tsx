// An intention that is made or changed, and its end.
import { useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { ConfirmButton } from '../../components/confirm-button.js'
import { ReasonInput } from '../../components/reason-input.js'
import { Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useAction } from '../../session/use-action.js'
import { shortNameOf, destinationOf, formatIntention, sourceOf, type Intention } from './intention.js'

const EXACT = '/v1/connect/intentions/exact'

interface Props {
  /** Undefined for a new one. */
  readonly intention: Intention | undefined
  readonly query: Query
  readonly close: () => void
}

/** Where the entry of the destination is edited, which has all intentions of it. */
const entryPage = ({ DestinationNS, DestinationName }: Intention, partition: string): string => {
  const key = `service-intentions/${DestinationName}`
  return `/ui/config/one?${new URLSearchParams({ key, ns: DestinationNS, partition })}`
}

export const IntentionForm = ({ intention, query, close }: Props) => {
  const [source, setSource] = useState(intention ? shortNameOf(sourceOf(intention)) : '')
  const [destination, setDestination] = useState(intention ? shortNameOf(destinationOf(intention)) : '')
  const [action, setAction] = useState(intention?.Action || 'allow')
  const [description, setDescription] = useState(intention?.Description ?? '')
  const [reason, setReason] = useState('')
  const { failure, isRunning, run } = useAction()
  const partition = typeof query['partition'] === 'string' ? query['partition'] : 'default'
  const isByRequest = (intention?.Permissions?.length ?? 0) > 0
  const exact = { ...query, source, destination }
  const save = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      await client.value.connection.request('PUT', EXACT, {
        query: exact,
        body: { Action: action, ...(description === '' ? {} : { Description: description }) },
        headers: reasonHeaders(reason)
      })
      announce(`${source} to ${destination}: ${action}.`)
      close()
    })
  }
  const title = intention
    ? `${shortNameOf(sourceOf(intention))} to ${shortNameOf(destinationOf(intention))}`
    : 'New intention'
  return (
    <section class="details" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      {isByRequest && intention ? (
        <p>
          It decides by request: {formatIntention(intention)}. That is edited in{' '}
          <a href={entryPage(intention, partition)}>the entry of its destination</a>.
        </p>
      ) : (
        <form onSubmit={save} class="choices">
          <label>
            Source{' '}
            <input
              required
              readOnly={intention !== undefined}
              value={source}
              onInput={({ currentTarget }) => setSource(currentTarget.value.trim())}
            />
          </label>
          <label>
            Destination{' '}
            <input
              required
              readOnly={intention !== undefined}
              value={destination}
              onInput={({ currentTarget }) => setDestination(currentTarget.value.trim())}
            />
          </label>
          <label>
            Action{' '}
            <select value={action} onChange={({ currentTarget }) => setAction(currentTarget.value)}>
              <option>allow</option>
              <option>deny</option>
            </select>
          </label>
          <label>
            Description{' '}
            <input value={description} onInput={({ currentTarget }) => setDescription(currentTarget.value)} />
          </label>
          <ReasonInput value={reason} change={setReason} />
          <button type="submit" disabled={isRunning}>
            Save
          </button>
        </form>
      )}
      <Refusal text={failure} />
      {intention && (
        <p class="choices">
          <a href={entryPage(intention, partition)}>
            All intentions of {shortNameOf(destinationOf(intention))}
          </a>
          <ConfirmButton
            label="Delete"
            title={`Delete ${title}?`}
            action={async why => {
              const sent = { query: exact, headers: reasonHeaders(why) }
              await client.value.connection.request('DELETE', EXACT, sent)
              close()
            }}
          >
            <p>Then the next one decides that bears on both, or else the default policy.</p>
          </ConfirmButton>
        </p>
      )}
    </section>
  )
}
