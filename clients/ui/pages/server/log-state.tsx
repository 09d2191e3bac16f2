import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, Chart, Facts, Section, Table, Payload } from '../../design/index.js'
import { useText, type ResponseState } from '../../session/use-response.js'
import { useLiveResponse, usePageRefreshTimer, useMeasures, valueOf, type Measure } from './live-page.js'
import { countText, secondsText, sizeText } from './formatters.js'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
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
  const [turn] = usePageRefreshTimer()
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

// The chart of the flush times of the log, from the differences of successive metrics.

/** The flushes between two readings. */
interface Point {
  /** In seconds; undefined without flushes. */
  readonly half: number | undefined
  readonly most: number | undefined
}

interface Bucket {
  /** The inclusive upper bound. */
  readonly upTo: number
  /** The number of values up to the bound. */
  readonly count: number
}

/** Buckets by their bounds, ascending; the last bound is infinite. */
type Histogram = readonly Bucket[]

/** @param name without `_bucket` */
const histogramOf = (measures: readonly Measure[], name: string): Histogram =>
  measures
    .filter(measure => measure.name === `${name}_bucket`)
    .map(({ labels, value }) => ({
      upTo: labels['le'] === '+Inf' ? Infinity : Number(labels['le']),
      count: value
    }))
    .toSorted((one, other) => one.upTo - other.upTo)

const countIn = (histogram: Histogram): number => histogram.at(-1)?.count ?? 0

/** Returns the counts since `before`, or all of them after a restart of the server. */
const since = (before: Histogram, now: Histogram): Histogram =>
  countIn(before) > countIn(now)
    ? now
    : now.map(({ upTo, count }, at) => ({ upTo, count: count - (before[at]?.count ?? 0) }))

/** Returns a quantile by linear interpolation within its bucket; undefined for an empty histogram. */
const quantile = (histogram: Histogram, share: number): number | undefined => {
  const rank = countIn(histogram) * share
  if (rank === 0) return undefined
  const at = histogram.findIndex(({ count }) => count >= rank)
  const { upTo, count } = histogram[at] ?? { upTo: Infinity, count: 0 }
  const { upTo: from, count: below } = histogram[at - 1] ?? { upTo: 0, count: 0 }
  return upTo === Infinity ? from : from + ((upTo - from) * (rank - below)) / (count - below)
}

const FLUSH = 'annals_log_flush_seconds'
const MAX_POINTS = 60

const timeOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : secondsText(seconds)

const FlushTimes = ({ measures }: { readonly measures: readonly Measure[] }) => {
  const before = useRef<Histogram | undefined>(undefined)
  const [points, setPoints] = useState<readonly Point[]>([])
  const now = histogramOf(measures, FLUSH)
  useEffect(() => {
    if (before.current) {
      const recent = since(before.current, now)
      const point = { half: quantile(recent, 0.5), most: quantile(recent, 0.99) }
      setPoints(shown => [...shown, point].slice(-MAX_POINTS))
    }
    before.current = now
  }, [measures])
  const newest = points.findLast(({ half }) => half !== undefined)
  return (
    <Section title="Time of a flush">
      <Facts
        facts={[
          ['Flushes since the start', countText(countIn(now))],
          ['Half of them took at most', timeOf(quantile(now, 0.5))],
          ['99 of 100 took at most', timeOf(quantile(now, 0.99))]
        ]}
      />
      <Chart
        label={`Time of flushes. ${newest ? `Newest: half within ${secondsText(newest.half ?? 0)}, 99 of 100 within ${secondsText(newest.most ?? 0)}` : 'No flush was seen yet.'}`}
        series={[
          { title: 'Half of the flushes', values: points.map(({ half }) => half) },
          { title: '99 of 100', values: points.map(({ most }) => most) }
        ]}
        format={secondsText}
        points={MAX_POINTS}
        least={0.001}
      />
    </Section>
  )
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
