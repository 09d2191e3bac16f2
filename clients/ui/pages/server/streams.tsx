import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, Section, Table, Who, type Tone, RelativeTime } from '../../design/index.js'
import { useLiveResponse } from './live-page.js'
import { countText, sizeText } from './formatters.js'

type Stream = Schemas['OpenStream'] | Schemas['EndedStream']

const TONES: Readonly<Record<string, Tone>> = { live: 'good', behind: 'warn', waiting: 'warn' }

const Reader = ({ Cursor, AccessorID }: Stream) => {
  if (Cursor !== '') return <>cursor {Cursor}</>
  if (AccessorID === '') return <>anonymous</>
  return <Who accessor={AccessorID} />
}

const selectedBy = ({ Topics, Types, Filter, Namespace, Partition }: Stream): string =>
  [
    Topics.join(', '),
    Types.length > 0 && `types ${Types.join(', ')}`,
    Filter,
    Namespace !== 'default' && `ns ${Namespace}`,
    Partition !== 'default' && `partition ${Partition}`
  ]
    .filter(Boolean)
    .join(' · ')

const HEAD = 'Reader,State,Commits behind,Bytes waiting,Sent up to,Selects,Wire,Address,Since'.split(',')

export const Streams = () => {
  const { value, failure } = useLiveResponse<Schemas['EventSubscriptions']>('/v1/event/subscriptions')
  return (
    <Section title="Streams" failure={failure}>
      <Table
        label="Open streams"
        head={HEAD}
        rows={value?.Open.map(stream => [
          <Reader {...stream} />,
          <Badge tone={TONES[stream.State] ?? 'plain'}>{stream.State}</Badge>,
          countText(stream.LagCommits),
          sizeText(stream.BytesWaiting),
          countText(stream.LastIndex),
          selectedBy(stream),
          stream.Wire,
          stream.Address,
          <RelativeTime at={stream.Since} isShort />
        ])}
        none="There are no subscribers."
      />
      {value && value.Ended.length > 0 && (
        <details>
          <summary>{value.Ended.length} that ended</summary>
          <Table
            label="Ended streams"
            head={['Reader', 'Ended', 'Code', 'Why', 'Sent up to', 'Selects', 'Wire', 'Address']}
            rows={value.Ended.map(stream => [
              <Reader {...stream} />,
              <RelativeTime at={stream.EndedAt} isShort />,
              stream.Code === 0 ? '' : stream.Code,
              stream.Reason,
              countText(stream.LastIndex),
              selectedBy(stream),
              stream.Wire,
              stream.Address
            ])}
          />
        </details>
      )}
    </Section>
  )
}
