import { useEffect, useRef } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import {
  Button,
  ActionForm,
  announce,
  ConfirmButton,
  Field,
  fieldOf,
  ReasonInput,
  Select,
  SubmitButton
} from '../../design/index.js'
import { send } from '../send.js'
import {
  shortNameOf,
  destinationOf,
  sourceOf,
  formatIntention,
  type Intention,
  type Pair
} from './intention.js'
import { resourcePage } from '../../resources/kind.js'
import { readJson } from '../../session/session.js'
import { useDraft } from '../../session/draft.js'

const EXACT = '/v1/connect/intentions/exact'
const MATCH = '/v1/connect/intentions/match'

interface Props {
  /** Undefined for a new one. */
  readonly intention: Intention | undefined
  /** The names, which are initial ones of a new intention. */
  readonly pair: Pair
  readonly query: Query
  readonly close: () => void
}

/** Returns the address of the configuration entry with all intentions of the destination. */
const entryPage = ({ DestinationNS, DestinationName }: Intention, partition: string): string => {
  const key = `service-intentions/${DestinationName}`
  return resourcePage('config', { key, ns: DestinationNS, partition })
}

/** @throws Error if there is an intention of this pair, which the API would replace */
const requireFree = async (source: string, destination: string, place: Query): Promise<void> => {
  const query = { ...place, by: 'destination', name: destination }
  const matching = await readJson<Readonly<Record<string, readonly Intention[]>>>(MATCH, { query })
  const found = Object.values(matching).flat()
  const [from, to] = [source, destination].map(shortNameOf)
  if (found.some(each => shortNameOf(sourceOf(each)) === from && shortNameOf(destinationOf(each)) === to))
    throw new Error(`There is an intention from ${from} to ${to}. Open it to change it.`)
}

export const IntentionForm = ({ intention, pair, query, close }: Props) => {
  const { Action = 'allow', Description = '' } = intention ?? {}
  const draft = useDraft({ ...pair, action: Action || 'allow', description: Description }, 0)
  const { action, description } = draft.value
  const [source, destination] = [draft.value.source.trim(), draft.value.destination.trim()]
  const partition = typeof query['partition'] === 'string' ? query['partition'] : 'default'
  const isByRequest = (intention?.Permissions?.length ?? 0) > 0
  const exact = { ...query, source, destination }
  const nameField = { required: true, readOnly: intention !== undefined }
  const save = async (reason: string): Promise<void> => {
    if (!intention) await requireFree(source, destination, query)
    const body = { Action: action, Description: description || undefined }
    await send('PUT', EXACT, { query: exact, body, reason })
    announce(`${source} to ${destination}: ${action}.`)
    close()
  }
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.querySelector('input')?.focus(), [])
  const title = intention ? `${pair.source} to ${pair.destination}` : 'Create intention'
  return (
    <section ref={box} class="details" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Button label="Close" act={close} />
      </header>
      {isByRequest && intention ? (
        <p>
          It decides by request: {formatIntention(intention)}. That is edited in{' '}
          <a href={entryPage(intention, partition)}>the entry of its destination</a>.
        </p>
      ) : (
        <ActionForm action={save} class="choices">
          <Field label="Source" {...nameField} {...fieldOf(draft, 'source')} name="source|Sources" />
          <Field
            label="Destination"
            {...nameField}
            {...fieldOf(draft, 'destination')}
            name="destination|Namespace"
          />
          <Select label="Action" options={['allow', 'deny']} {...fieldOf(draft, 'action')} />
          <Field label="Description" {...fieldOf(draft, 'description')} />
          <ReasonInput />
          <SubmitButton label="Save" class="primary" />
        </ActionForm>
      )}
      {intention && (
        <p class="choices">
          <a href={entryPage(intention, partition)}>
            All intentions of {shortNameOf(destinationOf(intention))}
          </a>
          <ConfirmButton
            label="Delete"
            title={`Delete ${title}?`}
            action={reason => send('DELETE', EXACT, { query: exact, reason })}
            done={close}
          >
            The next matching intention decides, or the default policy.
          </ConfirmButton>
        </p>
      )}
    </section>
  )
}
