import { BASE_SNAPSHOT_FOLDER } from '../../events/log/snapshots/base-names.js'
import { BaseSnapshots } from '../../events/log/snapshots/base-snapshots.js'
import { programVersion } from '../../events/version.js'
import { SNAPSHOT_VERSION } from '../../projections/projection.js'
import { loadSettings } from '../../server/settings/load.js'
import type { Settings } from '../../server/settings/settings.js'
import { Replay } from '../../server/snapshots/replay.js'
import type { Views } from '../../projections/read-models.js'
import { FilesLog } from '../files-log.js'
import type { ReadableLog } from '../log.js'

export interface ReplayOptions {
  /** Index of the last commit, or its latest time. Default: the newest commit. */
  readonly until?: number | Date
  /** Name of the datacenter of the server. Default: `dc1`. */
  readonly datacenter?: string
  /** Its `acl.default_policy`. Default: `deny`. */
  readonly defaultPolicy?: 'allow' | 'deny'
}

export interface Replayed {
  readonly log: ReadableLog
  /** Index of the last applied commit. */
  readonly index: number
  /** The time of the last applied commit, RFC 3339. */
  readonly time: string
  /** All read models: `views.kv`, `views.tokens`, `views.policies`, `views.resolver` … */
  readonly views: Views
  readonly settings: Settings
}

const settingsOf = ({ datacenter = 'dc1', defaultPolicy = 'deny' }: ReplayOptions): Settings =>
  loadSettings({
    env: {},
    flags: {
      datacenter,
      'acl-enabled': 'true',
      'acl-default-policy': defaultPolicy,
      'http-port': '0',
      'dns-port': '-1',
      'log-level': 'silent'
    }
  })

const basesOf = ({ reader }: FilesLog): BaseSnapshots =>
  new BaseSnapshots(reader.files.disk.folder(BASE_SNAPSHOT_FOLDER), reader, {
    program: programVersion(),
    form: SNAPSHOT_VERSION
  })

/**
 * Replays a log into new read models, and validates each event. Cost: all commits up to `until`.
 * @throws LogUnusable for an invalid event, or a log that begins later; RangeError for an index after the newest
 */
export const replay = async (log: ReadableLog, options: ReplayOptions = {}): Promise<Replayed> => {
  const settings = settingsOf(options)
  const replayed = new Replay(settings)
  const { until } = options
  // A later base snapshot would include later commits.
  const durableIndex = typeof until === 'number' ? until : log.lastIndex
  const from =
    log instanceof FilesLog
      ? await replayed.begin({ firstIndex: log.firstIndex, durableIndex }, { bases: basesOf(log) })
      : 1
  for await (const commit of log.commits({ from, ...(until === undefined ? {} : { until }) }))
    replayed.fold(commit)
  const { views } = replayed
  return { log, index: views.index, time: views.time, views, settings }
}
