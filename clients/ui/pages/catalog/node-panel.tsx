import type { Schemas } from '../../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { FilterField, Refusal, Restricted, Status, StreamNotice, Table } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import { textOf, resourcePage } from '../../resources/kind.js'
import type { PanelProps } from '../resource/resource-view.js'
import {
  instancePage,
  servicePage,
  worse,
  type Status as CheckStatus
} from '../../resources/catalog/facts.js'
import { CheckList, useNodeChecks, checksOf } from './check-list.js'

type Session = Schemas['Session']

const SERVICES = ['Status', 'Instance', 'Service', 'Port', 'Tags', 'Namespace']
const SESSIONS = ['Session', 'Behavior', 'TTL']

interface SessionTableProps {
  readonly sessions: readonly Session[]
  readonly partition: string
}

const SessionTable = ({ sessions, partition }: SessionTableProps) => (
  <Table
    label="Sessions"
    head={SESSIONS}
    none="None visible to this token."
    rows={sessions.map(({ ID, Name, Behavior, TTL }) => [
      <a href={resourcePage('sessions', { key: ID, partition })} title={ID}>
        {Name || ID}
      </a>,
      Behavior,
      TTL || 'none'
    ])}
  />
)

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
  const sessions = useResponse<readonly Session[]>(`/v1/session/node/${at}`, { partition }, newest.Index)
  const statusOf = (id: string, ns: string): string =>
    checksOf(checks ?? [], id, ns)
      .map(({ status }) => status)
      .reduce<CheckStatus>(worse, 'passing')
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
        head={SERVICES}
        none="None visible to this token."
        rows={
          checks &&
          found.value &&
          (found.value.Services ?? []).map(
            ({ ID: id, Service: service, Port, Tags, Namespace: namespace = 'default' }) => [
              <Status of={statusOf(id, namespace)} />,
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
      <h2>Sessions</h2>
      <Refusal text={sessions.failure} />
      {sessions.value && <SessionTable sessions={sessions.value} partition={partition} />}
    </section>
  )
}
