// The read models of a server, made from a log up to one of its commits.
import { loadSettings } from '../server/settings/load.js'
import type { Settings } from '../server/settings/settings.js'
import { Replay } from '../server/snapshots/replay.js'
import type { Views } from '../projections/read-models.js'
import { FilesLog } from './files-log.js'
import type { ReadableLog } from './log.js'

export interface ReplayOptions {
  /** Index of the last commit, or a time up to which they were made; the newest when absent. */
  readonly until?: number | Date
  /** Name of the datacenter of the server. Default: `dc1`. */
  readonly datacenter?: string
  /** Its `acl.default_policy`. Default: `deny`. */
  readonly defaultPolicy?: 'allow' | 'deny'
}

/** The state at a commit. */
export interface Replayed {
  readonly log: ReadableLog
  /** Index of the last commit that was folded. */
  readonly index: number
  /** When it was made, RFC 3339. */
  readonly time: string
  /** Every read model that the server has: `views.kv`, `views.tokens`, `views.policies`, `views.resolver` … */
  readonly views: Views
  readonly settings: Settings
}

/** The settings of a server that shows a log. */
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

/**
 * Folds a log into new read models; each event must be possible where it stands. Cost: all commits up to `until`.
 * @throws LogUnusable when one is not, or the log begins later; RangeError for an index beyond the newest
 */
export const replay = async (log: ReadableLog, options: ReplayOptions = {}): Promise<Replayed> => {
  const settings = settingsOf(options)
  const replayed = new Replay(settings)
  const { until } = options
  // A base of a later time would say too much.
  const durableIndex = typeof until === 'number' ? until : log.lastIndex
  const from =
    log instanceof FilesLog
      ? await replayed.begin({ firstIndex: log.firstIndex, durableIndex }, log.beside)
      : 1
  for await (const commit of log.commits({ from, ...(until === undefined ? {} : { until }) }))
    replayed.fold(commit)
  const { views } = replayed
  return { log, index: views.index, time: views.time, views, settings }
}
