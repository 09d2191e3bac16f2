// How far a datacenter has taken over what the primary makes: policies, roles, tokens and configuration entries.
import { ZERO_TIME } from '../../../../events/time.js'
import { Badge } from '../../parts/badge.js'
import { Notice } from '../../parts/notice.js'
import { useAnswer } from '../../session/use-answer.js'
import { Facts } from './facts.js'
import { usePagePulse } from './pulse.js'
import { Section } from './section.js'
import { countText, Time } from './words.js'

interface Shown {
  readonly Enabled: boolean
  readonly Running: boolean
  readonly SourceDatacenter: string
  readonly ReplicationType: string
  readonly ReplicatedIndex: number
  readonly ReplicatedTokenIndex: number
  readonly LastSuccess: string
  readonly LastError: string
  readonly LastErrorMessage: string
}

const timeOf = (at: string) => (at === ZERO_TIME ? 'never' : <Time at={at} />)

/** The newest commit of the primary, as its own servers tell it; undefined for who may not ask them. */
const usePrimaryIndex = (datacenter: string | undefined): number | undefined => {
  const { turn } = usePagePulse()
  const path = datacenter ? '/v1/operator/raft/configuration' : undefined
  const { value } = useAnswer<{ readonly Servers: readonly { readonly LastIndex: number }[] }>(
    path,
    { dc: datacenter },
    turn
  )
  return value && Math.max(0, ...value.Servers.map(({ LastIndex }) => LastIndex))
}

/** Nothing for a datacenter that follows no other. */
export const Replication = ({ datacenter }: { readonly datacenter: string }) => {
  const { turn } = usePagePulse()
  const { value, failure } = useAnswer<Shown>('/v1/acl/replication', { dc: datacenter }, turn)
  const newest = usePrimaryIndex(value?.SourceDatacenter)
  if (value && !value.Enabled) return null
  return (
    <Section title={`Replication to ${datacenter}`} failure={failure}>
      {value && (
        <>
          <Facts
            facts={[
              [
                'State',
                <Badge key="state" tone={value.Running ? 'good' : 'bad'}>
                  {value.Running ? 'running' : 'not running'}
                </Badge>
              ],
              ['From', value.SourceDatacenter],
              ['Takes over', value.ReplicationType],
              ['Taken over up to commit', countText(value.ReplicatedIndex)],
              [
                'Commits behind',
                newest === undefined ? '' : countText(Math.max(0, newest - value.ReplicatedIndex))
              ],
              ['Last success', timeOf(value.LastSuccess)],
              ['Last failure', timeOf(value.LastError)]
            ]}
          />
          {value.LastErrorMessage !== '' && <Notice tone="warn">{value.LastErrorMessage}</Notice>}
        </>
      )}
    </Section>
  )
}
