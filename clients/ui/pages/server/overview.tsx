// The server at a glance: what it is, whether it is well, the servers of its cluster, and its workers.
import { Refusal } from '../../parts/refusal.js'
import { useAnswer } from '../../session/use-answer.js'
import { Facts } from './facts.js'
import { Members } from './members.js'
import { valueOf } from './prometheus.js'
import { usePagePulse } from './pulse.js'
import { Readiness } from './readiness.js'
import { Section } from './section.js'
import { useMeasures } from './use-measures.js'
import { countText, sizeText, spanText } from './words.js'
import { Workers } from './workers.js'

interface Self {
  readonly Config: {
    readonly Datacenter: string
    readonly PrimaryDatacenter: string
    readonly NodeName: string
    readonly NodeID: string
    readonly Revision: string
  }
  readonly DebugConfig: Readonly<Record<string, unknown>>
  readonly Stats: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export const Overview = () => {
  const { turn } = usePagePulse()
  const self = useAnswer<Self>('/v1/agent/self', {}, turn)
  const measured = useMeasures()
  const measures = measured.value ?? []
  const started = valueOf(measures, 'annals_process_start_time_seconds')
  const memory = valueOf(measures, 'annals_process_resident_memory_bytes')
  const { Config, Stats } = self.value ?? {}
  return (
    <>
      <Section title="This server" failure={self.failure}>
        <Facts
          facts={[
            ['State', <Readiness key="state" />],
            ['Name', Config?.NodeName],
            ['ID', Config?.NodeID],
            ['Version', Config?.Revision.replace('annals-', '')],
            ['Runs on', Stats?.['runtime'] && `Node ${Stats['runtime']['version'] ?? ''}`],
            ['Datacenter', Config?.Datacenter],
            ['Role', Stats?.['raft']?.['state']?.toLowerCase()],
            ['Up for', started && spanText(Date.now() / 1000 - started)],
            ['Memory', memory && sizeText(memory)],
            ['Newest commit', countText(valueOf(measures, 'annals_commit_index'))],
            ['Event streams', countText(valueOf(measures, 'annals_event_streams'))]
          ]}
        />
        <Refusal text={self.failure === measured.failure ? undefined : measured.failure} />
      </Section>
      <Members />
      {Stats && <Workers stats={Stats} />}
    </>
  )
}
