import type { Schemas } from '../../../typescript/typed/index.js'
import {
  Button,
  CheckField,
  Field,
  SubmitForm,
  TextDiff,
  Table,
  Payload,
  SubmitButton,
  fieldOf
} from '../../design/index.js'
import { useAction, useResponse } from '../../session/use-response.js'
import { textIn, textOf, type Fields, resourcePage, versionViewFor } from '../../resources/kind.js'
import { STATUSES } from '../../resources/catalog/facts.js'
import { queryKind } from '../../resources/kinds.js'
import { ResourceListPage } from '../resource-list-page.js'
import { readJson } from '../../session/session.js'
import { useDraft } from '../../session/draft.js'

const GENERATED = ['ID', 'CreateIndex', 'ModifyIndex', 'RaftIndex']

/** Returns a value without its empty fields, which equal absent ones; undefined if nothing is left. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (typeof value !== 'object' || value === null) return value || undefined
  const left = Object.entries(value).flatMap(([name, field]) => {
    const kept = withoutEmpty(field)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** Returns the writable fields of a query as JSON. */
export const definitionOf = (query: Fields): string => {
  const writable = Object.entries(query).filter(([name]) => !GENERATED.includes(name))
  return JSON.stringify(withoutEmpty(Object.fromEntries(writable)) ?? {}, undefined, 2)
}

export const NEW_DEFINITION = JSON.stringify(
  { Name: '', Service: { Service: '', OnlyPassing: true }, DNS: { TTL: '' } },
  undefined,
  2
)

export const isTemplate = ({ Template }: Fields): boolean => textIn(Template, 'Type') !== ''

/** Returns the name, or the ID without one. */
export const calledBy = ({ Name, ID }: Fields): string => textOf(Name) || textOf(ID)

export const queryPath = (name: string, action = ''): string =>
  `/v1/query/${encodeURIComponent(name)}${action}`

export const queryAddress = (id: string): string => resourcePage('queries', { key: id })

type ExecutionResult = Schemas['QueryResult']

const healthOf = (checks: readonly Schemas['HealthCheck'][] | null): string =>
  STATUSES.findLast(status => checks?.some(({ Status }) => Status === status)) ?? 'no checks'

const failoversInWords = ({ Failovers, Datacenter, Nodes }: ExecutionResult): string => {
  if (Failovers === 0) return `Datacenter ${Datacenter} answered. No failover was needed.`
  const asked =
    Failovers === 1 ? 'one other datacenter was asked' : `${Failovers} other datacenters were asked`
  return Nodes.length === 0
    ? `Nothing was found: ${asked}, ${Datacenter} last.`
    : `Nothing was found here: ${asked}, and ${Datacenter} answered.`
}

const QueryResultView = ({ result }: { readonly result: ExecutionResult }) => {
  const { Service, Nodes, DNS } = result
  return (
    <>
      <p role="status">
        {Nodes.length.toLocaleString('en')} instances of {Service}. {failoversInWords(result)}
        {DNS.TTL !== '' && ` DNS answers live for ${DNS.TTL}.`}
      </p>
      <Table
        label="Instances"
        head={['Node', 'Instance', 'Address', 'Tags', 'Health', 'Datacenter']}
        none="No healthy instances are visible to this token."
        rows={Nodes.map(({ Node, Service: { ID, Address, Port, Tags }, Checks }) => [
          <a href={resourcePage('nodes', { key: Node.Node })}>{Node.Node}</a>,
          ID,
          `${Address || Node.Address}${Port ? `:${Port}` : ''}`,
          (Tags ?? []).join(', '),
          healthOf(Checks),
          Node.Datacenter
        ])}
      />
    </>
  )
}

type Explanation = Schemas['ExplainedQuery']

interface ExplainedProps {
  readonly name: string
  readonly explanation: Explanation
}

const Explained = ({ name, explanation: { Query: query } }: ExplainedProps) => {
  const id = textOf(query['ID'])
  const isOfTemplate = isTemplate(query)
  const { value } = useResponse<readonly Fields[]>(isOfTemplate ? queryPath(id) : undefined)
  const stored = value?.[0]
  return (
    <div role="group" aria-label="Explanation">
      <p>
        To {name} answers the {isOfTemplate ? 'template' : 'query'}{' '}
        <a href={queryAddress(id)}>{calledBy(query)}</a>.
      </p>
      {isOfTemplate && stored ? (
        <TextDiff
          before={versionViewFor(stored['Service'])}
          after={versionViewFor(query['Service'])}
          titles={['The template', 'Resolved service']}
        />
      ) : (
        <Payload text={versionViewFor(query['Service'])} />
      )}
    </div>
  )
}

interface Outcome {
  readonly executed?: ExecutionResult
  readonly explained?: Explanation
}

interface Props {
  readonly name: string
  /** The user can enter other names, such as those that match a template. */
  readonly isOpen: boolean
}

export const ExecuteQuery = ({ name: given, isOpen }: Props) => {
  const draft = useDraft({ name: given, near: '', limit: '', datacenter: '', connect: false }, 0)
  const { near, limit, datacenter, connect } = draft.value
  const name = isOpen ? draft.value.name : given
  const { result: outcome, failure, run } = useAction<Outcome>([name, ...Object.values(draft.value)])
  const filled = (text: string): string | undefined => text.trim() || undefined
  const dc = filled(datacenter)
  const execute = (): void => {
    const query = { near: filled(near), limit: filled(limit), dc, connect }
    run(async signal => ({ executed: await readJson(queryPath(name, '/execute'), { query, signal }) }))
  }
  const explain = (): void =>
    run(async signal => ({
      explained: await readJson(queryPath(name, '/explain'), { query: { dc }, signal })
    }))
  return (
    <section aria-label="Test">
      <SubmitForm failure={failure} submit={execute} class="choices tried">
        {isOpen && <Field label="Name" {...fieldOf(draft, 'name')} />}
        <Field label="Near" placeholder="node, _agent or _ip" {...fieldOf(draft, 'near')} />
        <Field label="Limit" {...fieldOf(draft, 'limit')} />
        <Field label="Datacenter" {...fieldOf(draft, 'datacenter')} />
        <CheckField label="Connect" {...fieldOf(draft, 'connect')} />
        <SubmitButton label="Run" disabled={name === ''} />
        <Button label="Explain" act={explain} disabled={name === ''} />
      </SubmitForm>
      {outcome?.executed && <QueryResultView result={outcome.executed} />}
      {outcome?.explained && <Explained name={name} explanation={outcome.explained} />}
    </section>
  )
}

export const QueriesPage = () => (
  <ResourceListPage
    kind={queryKind}
    hasNew
    controls={() => (
      <details>
        <summary>Find the query for a name</summary>
        <ExecuteQuery name="" isOpen />
      </details>
    )}
  />
)
