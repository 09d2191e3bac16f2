import { Badge, Facts, Section } from '../../design/index.js'
import { useResponse, useText } from '../../session/use-response.js'

interface Log {
  readonly CommitIndex: number
  readonly DurableIndex: number
}

interface Member {
  readonly Name: string
  readonly Status: string
  readonly Healthy: boolean
}

const SECOND_LINE = 1

/** The size of the tree and the signers in a checkpoint. */
const checkpointText = (note: string | undefined): string => {
  if (note === undefined) return ''
  const signers = [...note.matchAll(/^— (\S+)/gm)].map(([, name]) => name)
  const witnesses = new Set(signers).size - 1
  const witnessed = witnesses > 0 ? `, witnessed by ${witnesses}` : ''
  return `signed at commit ${note.split('\n')[SECOND_LINE] ?? ''}${witnessed}`
}

/** The state of the log, and the servers with their leader. */
export const LogSummary = () => {
  const { value: log, failure } = useResponse<Log>('/v1/operator/log')
  const checkpoint = useText('/v1/event/checkpoint', {})
  const cluster = useResponse<{ readonly Servers: Readonly<Record<string, Member>> }>(
    '/v1/operator/autopilot/state'
  )
  const members = Object.values(cluster.value?.Servers ?? {})
  return (
    <Section title="Log and servers" failure={failure}>
      {log && (
        <Facts
          facts={[
            ['Newest commit', <a href={`/ui/events?from=${log.CommitIndex}`}>{log.CommitIndex}</a>],
            ['Durable commit', log.DurableIndex],
            ['Checkpoint', <a href="/ui/server?part=log">{checkpointText(checkpoint.value)}</a>],
            ['Leader', members.find(({ Status }) => Status === 'leader')?.Name],
            [
              'Members',
              members.map(({ Name, Healthy }) => (
                <a key={Name} href="/ui/server">
                  <Badge tone={Healthy ? 'good' : 'bad'}>{Name}</Badge>
                </a>
              ))
            ]
          ]}
        />
      )}
    </Section>
  )
}
