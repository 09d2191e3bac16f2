// The servers of the cluster: who leads, how they are, and how far each is behind.
import { Badge } from '../../components/badge.js'
import { ConfirmButton } from '../../components/confirm-button.js'
import { Table } from '../../components/table.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useResponse } from '../../session/use-response.js'
import { Facts } from './fact-list.js'
import { usePageRefreshTimer } from './refresh-timer.js'
import { Section } from './section.js'
import { countText, Time } from './formatters.js'

interface Server {
  readonly ID: string
  readonly Name: string
  readonly Address: string
  readonly NodeStatus: string
  readonly Version: string
  readonly LastContact: string
  readonly LastTerm: number
  readonly LastIndex: number
  readonly Healthy: boolean
  readonly StableSince: string
  readonly Status: string
}

interface Cluster {
  readonly Healthy: boolean
  readonly FailureTolerance: number
  readonly Servers: Readonly<Record<string, Server>>
}

interface Props {
  readonly server: Server
  readonly forgotten: () => void
}

/** Only of a server that is not heard of any more. */
const Forget = ({ server: { ID, Name }, forgotten }: Props) => (
  <ConfirmButton
    label="Forget"
    title={`Forget the server ${Name}?`}
    typed={Name}
    action={async reason => {
      const sending = { query: { id: ID }, headers: reasonHeaders(reason) }
      await client.value.connection.request('DELETE', '/v1/operator/raft/peer', sending)
      forgotten()
    }}
  >
    Nothing waits for it any more. It must not come back with the data that it has.
  </ConfirmButton>
)

export const Members = () => {
  const { turn, ask } = usePageRefreshTimer()
  const { value, failure } = useResponse<Cluster>('/v1/operator/autopilot/state', {}, turn)
  const servers = Object.values(value?.Servers ?? {}).toSorted((one, other) =>
    one.Name.localeCompare(other.Name)
  )
  const newest = Math.max(0, ...servers.map(({ LastIndex }) => LastIndex))
  const term = Math.max(0, ...servers.map(({ LastTerm }) => LastTerm))
  return (
    <Section title="Members" failure={failure}>
      {value && (
        <>
          <Facts
            facts={[
              [
                'Cluster',
                <Badge key="health" tone={value.Healthy ? 'good' : 'bad'}>
                  {value.Healthy ? 'healthy' : 'not healthy'}
                </Badge>
              ],
              ['Servers', countText(servers.length)],
              ['May fail', countText(value.FailureTolerance)],
              ['Epoch', countText(term)]
            ]}
          />
          <Table
            label="Members of the cluster"
            head={[
              'Name',
              'Address',
              'Role',
              'State',
              'Index',
              'Commits behind',
              'Last contact',
              'Since',
              'Actions'
            ]}
            rows={servers.map(server => [
              server.Name,
              server.Address,
              server.Status === 'leader' ? 'leader' : 'follower',
              <Badge key="state" tone={server.Healthy ? 'good' : 'bad'}>
                {server.NodeStatus}
              </Badge>,
              countText(server.LastIndex),
              countText(newest - server.LastIndex),
              server.LastContact,
              <Time key="since" at={server.StableSince} />,
              server.NodeStatus === 'failed' && <Forget key="forget" server={server} forgotten={ask} />
            ])}
            none="There are no members that this token may see."
          />
        </>
      )}
    </Section>
  )
}
