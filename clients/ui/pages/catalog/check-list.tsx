import { useState } from 'preact/hooks'
import type { Schemas } from '../../../typescript/typed/index.js'
import {
  FilterField,
  Refusal,
  Restricted,
  Section,
  Status as StatusBadge,
  StreamNotice,
  Table
} from '../../design/index.js'
import { useChanges } from '../../live/use-stream.js'
import {
  checkFacts,
  type CheckFacts,
  checkPage,
  instancePage,
  servicePage,
  STATUSES,
  type Status,
  worse
} from '../../resources/catalog/facts.js'
import { type Fields, resourcePage, textOf } from '../../resources/kind.js'
import type { PanelProps } from '../resource/resource-view.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import type { Place } from '../../session/tenancy.js'

/** An output with more lines or characters is folded to its first line. */
const MOST_LINES = 4
const MOST_LETTERS = 300
const FIRST_LETTERS = 80

const Output = ({ text }: { readonly text: string }) => {
  const lines = text.trimEnd().split('\n')
  if (lines.length <= MOST_LINES && text.length <= MOST_LETTERS) return <pre>{text}</pre>
  return (
    <details class="output">
      <summary>
        <code>{lines[0]?.slice(0, FIRST_LETTERS)} …</code>{' '}
        <span class="quiet">{lines.length === 1 ? `${text.length} letters` : `${lines.length} lines`}</span>
      </summary>
      <pre>{text}</pre>
    </details>
  )
}

const HEAD = ['Status', 'Check', 'Scope', 'Output']

interface Props {
  readonly label: string
  readonly checks: readonly CheckFacts[]
}

const CheckList = ({ label, checks }: Props) => (
  <Table
    label={label}
    head={HEAD}
    none="No checks: the status is passing."
    rows={checks
      .toSorted((one, other) => STATUSES.indexOf(other.status) - STATUSES.indexOf(one.status))
      .map(check => [
        <StatusBadge of={check.status} />,
        <>
          <a href={checkPage(check)}>{check.name || check.id}</a>
          {check.notes !== '' && <div class="quiet">{check.notes}</div>}
        </>,
        check.serviceId || `node ${check.node}`,
        <Output text={check.output} />
      ])}
  />
)

/** The checks of a node and its instances, and why some are hidden from the token. */
const useNodeChecks = (node: string, partition: string) => {
  const [turn, refresh] = useTurn()
  const changes = useChanges([`Check:${node}`, `Service:${node}`], refresh)
  const path = `/v1/health/node/${encodeURIComponent(node)}`
  const { value, failure } = useResponse<readonly Fields[]>(path, { partition, ns: '*' }, turn)
  return { ...changes, turn, checks: value?.map(checkFacts), failure }
}

/** Returns the checks of an instance and those of its node. @param id of the service on the node */
const checksOf = (checks: readonly CheckFacts[], id: string, ns: string): readonly CheckFacts[] =>
  checks.filter(({ serviceId, namespace }) => serviceId === '' || (serviceId === id && namespace === ns))

interface InstanceProps {
  readonly label: string
  readonly node: string
  readonly id: string
  readonly place: Place
}

export const InstanceChecks = ({ label, node, id, place: { ns, partition } }: InstanceProps) => {
  const { checks, failure } = useNodeChecks(node, partition)
  return (
    <>
      <Refusal text={failure} />
      {checks && <CheckList label={label} checks={checksOf(checks, id, ns)} />}
    </>
  )
}

export const NodePanel = ({ newest, fields, place: { partition } }: PanelProps) => {
  const node = textOf(fields['Name'])
  const at = encodeURIComponent(node)
  const [filter, setFilter] = useState('')
  const { checks, state, refusal, turn } = useNodeChecks(node, partition)
  const found = useResponse<{ readonly Services: readonly Schemas['NodeService'][] | null }>(
    `/v1/catalog/node-services/${at}`,
    { ns: '*', partition, filter: filter || undefined },
    turn
  )
  const sessions = useResponse<readonly Schemas['Session'][]>(
    `/v1/session/node/${at}`,
    { partition },
    newest.Index
  )
  const statusOf = (id: string, ns: string): string =>
    checksOf(checks ?? [], id, ns)
      .map(({ status }) => status)
      .reduce<Status>(worse, 'passing')
  return (
    <section aria-label="Node">
      <Restricted refusal={refusal} permission="service:read" />
      {state !== 'live' && (
        <StreamNotice state={state} count={0} what={['service or check', 'services and checks']} />
      )}
      <h2>Services</h2>
      <FilterField
        example='"v1" in Tags'
        failure={filter === '' ? undefined : found.failure}
        change={setFilter}
      />
      <Table
        label="Services"
        head={['Status', 'Instance', 'Service', 'Port', 'Tags', 'Namespace']}
        none="None visible to this token."
        rows={
          checks &&
          found.value &&
          (found.value.Services ?? []).map(
            ({ ID: id, Service: service, Port, Tags, Namespace: namespace = 'default' }) => [
              <StatusBadge of={statusOf(id, namespace)} />,
              <a href={instancePage({ id, node, namespace, partition })}>{id}</a>,
              <a href={servicePage({ service, namespace, partition })}>{service}</a>,
              Port ?? 0,
              Tags?.join(', '),
              namespace
            ]
          )
        }
      />
      <h2>Checks</h2>
      {checks && <CheckList label="Checks" checks={checks} />}
      <Section title="Sessions" failure={sessions.failure} />
      <Table
        label="Sessions"
        head={['Session', 'Behavior', 'TTL']}
        none="None visible to this token."
        rows={sessions.value?.map(({ ID, Name, Behavior, TTL }) => [
          <a href={resourcePage('sessions', { key: ID, partition })} title={ID}>
            {Name || ID}
          </a>,
          Behavior,
          TTL || 'none'
        ])}
      />
    </section>
  )
}
