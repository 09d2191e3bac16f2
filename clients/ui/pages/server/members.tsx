import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, ConfirmButton, Facts, Section, Table, RelativeTime } from '../../design/index.js'
import { useLiveResponse, usePageRefreshTimer } from './live-page.js'
import { send } from '../send.js'
import { countText } from './formatters.js'

type Cluster = Schemas['AutopilotState']

interface Props {
  readonly server: Schemas['ServerState']
  readonly forgotten: () => void
}

const Forget = ({ server: { ID, Name }, forgotten }: Props) => (
  <ConfirmButton
    label="Remove"
    title={`Remove server ${Name}?`}
    typed={Name}
    action={reason => send('DELETE', '/v1/operator/raft/peer', { query: { id: ID }, reason })}
    done={forgotten}
  >
    The cluster no longer waits for it. Do not start it again with its current data folder.
  </ConfirmButton>
)

const HEAD = 'Name,Address,Role,State,Index,Commits behind,Last contact,Since,Actions'.split(',')

export const Members = () => {
  const [, refresh] = usePageRefreshTimer()
  const { value, failure } = useLiveResponse<Cluster>('/v1/operator/autopilot/state')
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
                <Badge tone={value.Healthy ? 'good' : 'bad'}>
                  {value.Healthy ? 'healthy' : 'not healthy'}
                </Badge>
              ],
              ['Servers', countText(servers.length)],
              ['Failure tolerance', countText(value.FailureTolerance)],
              ['Term', countText(term)]
            ]}
          />
          <Table
            label="Members of the cluster"
            head={HEAD}
            rows={servers.map(server => [
              server.Name,
              server.Address,
              server.Status === 'leader' ? 'leader' : 'follower',
              <Badge tone={server.Healthy ? 'good' : 'bad'}>{server.NodeStatus}</Badge>,
              countText(server.LastIndex),
              countText(newest - server.LastIndex),
              server.LastContact,
              <RelativeTime at={server.StableSince} isShort />,
              server.NodeStatus === 'failed' && <Forget server={server} forgotten={refresh} />
            ])}
            none="There are no members visible to this token."
          />
        </>
      )}
    </Section>
  )
}
