import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, Facts, Section, Table, Payload } from '../../design/index.js'
import { useText, type ResponseState } from '../../session/use-response.js'
import { FlushTimes } from './flush-times.js'
import { useLiveResponse, usePageRefreshTimer, useMeasures, valueOf, type Measure } from './live-page.js'
import { countText, sizeText } from './formatters.js'
import { useMemo } from 'preact/hooks'
import { messageOf } from '../../../../events/errors.js'
import { noteParts, treeHead } from '../../../../events/log/evidence/note-text.js'
import { base64Of, fromBase64 } from '../../resources/base64.js'

/** Returns the content and the signers of a checkpoint, the log first. The signatures are not verified. @throws MalformedNote */
const checkpointIn = (note: string) => {
  const { text, signatures } = noteParts({ fromBase64 }, note)
  const { origin, size, root } = treeHead({ fromBase64 }, text)
  return { origin, size, root: base64Of(root), signers: [...new Set(signatures.map(({ name }) => name))] }
}

const parse = (text: string): ResponseState<ReturnType<typeof checkpointIn>> => {
  try {
    return { value: checkpointIn(text) }
  } catch (error) {
    return { failure: messageOf(error) }
  }
}

const Checkpoint = () => {
  const { turn } = usePageRefreshTimer()
  const { value, failure } = useText('/v1/event/checkpoint', {}, turn)
  const key = useText('/v1/event/checkpoint/key', {}, 0)
  const { value: note, failure: fault } = useMemo(() => (value === undefined ? {} : parse(value)), [value])
  const witnesses = note?.signers.filter(name => name !== note.origin)
  return (
    <Section title="Checkpoint" failure={failure ?? fault}>
      {note && (
        <>
          <Facts
            facts={[
              ['Commits', countText(note.size)],
              ['Root hash', <code>{note.root}</code>],
              ['Log', <code>{note.origin}</code>],
              ['Key', key.value && <code>{key.value.trim()}</code>],
              ['Witnesses', witnesses?.join(', ') || 'none']
            ]}
          />
          <details>
            <summary>The signed note</summary>
            <Payload label="The signed note" text={value} />
          </details>
        </>
      )}
    </Section>
  )
}

type Segment = Schemas['LogSegment']

type Log = Schemas['OperatorLog']

/** The maximum number of listed segments. Older ones are summarized. */
const MAX_SEGMENTS = 50

const bytesOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { Bytes = 0 }) => sum + Bytes, 0)

const Segments = ({ segments }: { readonly segments: readonly Segment[] }) => {
  const older = segments.slice(0, -MAX_SEGMENTS)
  return (
    <>
      <Table
        label="Segments of the log"
        head={['First commit', 'Last commit', 'Commits', 'Size', 'State']}
        rows={segments
          .slice(-MAX_SEGMENTS)
          .toReversed()
          .map(({ FirstIndex, LastIndex, Bytes, State }) => [
            countText(FirstIndex),
            countText(LastIndex),
            countText(LastIndex - FirstIndex + 1),
            Bytes === undefined ? '' : sizeText(Bytes),
            <Badge tone={State === 'writing' ? 'good' : 'plain'}>{State}</Badge>
          ])}
        none="The log has no commits."
      />
      {older.length > 0 && (
        <p>
          {countText(older.length)} older segments: commits {countText(older[0]?.FirstIndex)} to{' '}
          {countText(older.at(-1)?.LastIndex)}, {sizeText(bytesOf(older))}
        </p>
      )}
    </>
  )
}

const measuredFacts = (measures: readonly Measure[]) => {
  const named = (name: string): number | undefined => valueOf(measures, name)
  const size = (name: string): string => {
    const bytes = named(name)
    return bytes === undefined ? '' : sizeText(bytes)
  }
  const snapshot = named('annals_snapshot_index')
  const failures = named('annals_snapshot_failures')
  const writable = named('annals_log_writable')
  return [
    ['On disk', size('annals_log_bytes')],
    [
      'Writable',
      writable === undefined ? (
        ''
      ) : (
        <Badge tone={writable === 1 ? 'good' : 'bad'}>{writable === 1 ? 'yes' : 'no'}</Badge>
      )
    ],
    ['Snapshot at commit', snapshot === 0 ? 'none yet' : countText(snapshot)],
    ['Failed snapshots', failures ? <Badge tone="bad">{failures}</Badge> : countText(failures)],
    ['Retained for cursors', size('annals_cursor_held_bytes')]
  ] as const
}

export const LogState = () => {
  const { value: log, failure } = useLiveResponse<Log>('/v1/operator/log')
  const measured = useMeasures()
  return (
    <>
      <Section title="Log" failure={failure}>
        <Facts
          facts={
            log && [
              ['Newest commit', countText(log.CommitIndex)],
              ['Durable commit', countText(log.DurableIndex)],
              ['Not yet durable', countText(log.CommitIndex - log.DurableIndex)],
              ['Oldest commit', countText(log.FirstIndex)],
              ['Base snapshot', log.FirstIndex > 1 ? `of commit ${countText(log.FirstIndex - 1)}` : 'none'],
              ...measuredFacts(measured.value ?? [])
            ]
          }
        />
      </Section>
      {measured.value ? (
        <FlushTimes measures={measured.value} />
      ) : (
        <Section title="Time of a flush" failure={measured.failure} />
      )}
      <Checkpoint />
      {log && (
        <Section title="Segments">
          <Segments segments={log.Segments} />
        </Section>
      )}
    </>
  )
}
