// Compares what two versions of the program make of one log (docs/how-to/upgrade.md).
import { parseJson } from '../../events/values.js'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { createPatch } from 'rfc6902'
import { Failed, UsageError, writeLines, type Console } from '../../clients/cli/console.js'
import { patchText } from '../../clients/cli/history/patch-text.js'
import { safe } from '../../clients/cli/remote/output.js'
import { eventText } from '../../events/codec.js'
import { LogUnusable } from '../../events/log/log.js'
import type { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { programVersion } from '../../events/version.js'
import { SNAPSHOT_VERSION } from '../../projections/projection.js'
import type { Views } from '../../projections/read-models.js'
import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import { eventViewOf } from '../../projections/stream/event-view.js'
import { commitOf, factsOfTopic, SNAPSHOT_TOPICS } from '../../projections/stream/snapshot.js'
import type { Settings } from '../settings/settings.js'
import { Replay } from '../snapshots/replay.js'
import { stateDigestOf } from '../snapshots/state-digest.js'
import { reportTo, withLog } from './open-log.js'

const FILE = 'recording.ndjson'
/** Raised when recordings are written otherwise. */
const FORMAT = 1
const MAX_SHOWN = 100

const Header = Type.Object({
  Annals: Type.Literal('recording'),
  Format: Type.Literal(FORMAT),
  Version: Type.String(),
  /** Of the last commit. */
  Index: Type.Integer({ minimum: 1 }),
  Hash: Type.String(),
  /** Digest of the read models, and the version of its form. */
  Digest: Type.String(),
  DigestForm: Type.Integer()
})
type Header = Type.Static<typeof Header>

interface TestRequest {
  /** Folder to write a recording to. */
  readonly record: string | undefined
  /** Folder with a recording of another version. */
  readonly against: string | undefined
}

/** The name of a resource, and its JSON as the stream shows it, without secrets. */
type Resource = readonly [name: string, text: string]

function* resourcesOf(views: Views): Generator<Resource> {
  for (const topic of SNAPSHOT_TOPICS)
    for (const fact of factsOfTopic(views, topic)) {
      const [event] = commitOf(fact).Events
      if (!event || event.Topic !== topic) continue
      const { Topic, Type: type, Key, Partition, Namespace } = event
      yield [[Topic, type, Partition, Namespace, Key].join(' '), eventText(eventViewOf(event), fact.Index)]
    }
}

const headerOf = async (log: SegmentEventLog, views: Views): Promise<Header> => ({
  Annals: 'recording',
  Format: FORMAT,
  Version: programVersion(),
  Index: views.index,
  Hash: await log.hashAt(views.index),
  Digest: stateDigestOf(views).digest,
  DigestForm: SNAPSHOT_VERSION
})

/** Applies each commit up to one after its check by the state machines. @throws LogUnusable */
const replayed = async (log: SegmentEventLog, settings: Settings, upTo: number): Promise<Views> => {
  const replay = new Replay(settings)
  const first = await replay.begin(log, snapshotStoresIn(log))
  if (first > upTo + 1)
    throw new LogUnusable(`the log begins after commit ${upTo}, up to which the recording was made`)
  if (first <= upTo)
    for await (const commit of log.read(first)) {
      replay.fold(commit)
      if (commit.Index >= upTo) break
    }
  return replay.views
}

async function* recordingLines(header: Header, views: Views): AsyncGenerator<string> {
  yield JSON.stringify(header)
  for (const [name, text] of resourcesOf(views)) yield `[${JSON.stringify(name)},${text}]`
}

/** Replaces a recording as a whole. */
const writeRecording = async (folder: string, header: Header, views: Views): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const path = join(folder, FILE)
  const out = createWriteStream(`${path}.new`)
  await writeLines(out, recordingLines(header, views))
  await new Promise<void>((resolve, reject) =>
    out.end((error?: Error | null) => (error ? reject(error) : resolve()))
  )
  await rename(`${path}.new`, path)
}

interface Recording {
  readonly header: Header
  /** JSON by name. */
  readonly resources: ReadonlyMap<string, string>
}

/** @throws UsageError for a file that this version does not read */
const readRecording = async (folder: string): Promise<Recording> => {
  const path = join(folder, FILE)
  let header: Header | undefined
  const resources = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const value = parseJson(line)
    if (!header && Value.Check(Header, value)) header = value
    else if (header && Array.isArray(value)) {
      const name = String(value[0])
      // Numbers beyond 2^53 are compared as they are written.
      resources.set(name, line.slice(`[${JSON.stringify(name)},`.length, -1))
    } else throw new UsageError(`${path} is no recording that this version reads`)
  }
  if (!header) throw new UsageError(`${path} is empty`)
  return { header, resources }
}

const changesIn = (recorded: string, text: string): string => {
  const patch = createPatch(JSON.parse(recorded), JSON.parse(text))
  return patch.length === 0
    ? 'has its fields in another order, or a number beyond 2^53'
    : patchText(patch).replaceAll('\n', '\n  ')
}

/** Returns a text for each resource that differs. */
const differencesOf = (views: Views, { resources }: Recording): readonly string[] => {
  const left = new Map(resources)
  const differences: string[] = []
  for (const [name, text] of resourcesOf(views)) {
    const recorded = left.get(name)
    left.delete(name)
    if (recorded === undefined) differences.push(`+ ${safe(name)}\n  is not in the recording`)
    else if (recorded !== text) differences.push(`~ ${safe(name)}\n  ${changesIn(recorded, text)}`)
  }
  for (const name of left.keys()) differences.push(`- ${safe(name)}\n  is only in the recording`)
  return differences
}

/** @throws Failed after printing what differs; LogUnusable for another log */
const compare = async (
  log: SegmentEventLog,
  settings: Settings,
  console: Console,
  recording: Recording
): Promise<void> => {
  const { header } = recording
  if (header.Index > log.durableIndex || (await log.hashAt(header.Index)) !== header.Hash)
    throw new LogUnusable(`the recording is of another log: commit ${header.Index} differs`)
  const views = await replayed(log, settings, header.Index)
  const differences = differencesOf(views, recording)
  for (const difference of differences.slice(0, MAX_SHOWN)) console.out.write(`${difference}\n`)
  const versions = `${header.Version} and ${programVersion()}`
  if (differences.length > 0)
    throw new Failed(`${differences.length} resources differ between ${versions} at commit ${header.Index}`)
  if (header.DigestForm !== SNAPSHOT_VERSION)
    console.out.write('the state digests have different forms, and are not compared\n')
  else if (header.Digest !== stateDigestOf(views).digest)
    throw new Failed(`the resources are equal, but the state digest of ${versions} differs`)
  console.out.write(
    `${recording.resources.size} resources at commit ${header.Index} are equal in ${versions}\n`
  )
}

/**
 * Replays a log with this version through the state machines, and records the state or compares it with a recording.
 * @throws Failed if the states differ; LogUnusable for a commit that cannot follow the ones before it; UsageError
 */
export const logTest = async (
  settings: Settings,
  console: Console,
  { record, against }: TestRequest
): Promise<void> => {
  if (record !== undefined && against !== undefined)
    throw new UsageError('--record and --against exclude each other')
  const recording = against === undefined ? undefined : await readRecording(against)
  await withLog(settings, { withSecrets: true, report: reportTo(console) }, async log => {
    if (log.durableIndex === 0) throw new UsageError(`the log in ${settings.data_dir} is empty`)
    if (recording) return compare(log, settings, console, recording)
    const views = await replayed(log, settings, log.durableIndex)
    console.out.write(`every event of ${views.index} commits is possible in ${programVersion()}\n`)
    if (record === undefined) return
    await writeRecording(record, await headerOf(log, views), views)
    console.out.write(`recorded in ${join(record, FILE)}\n`)
  })
}
