import type { Settings } from '../settings/settings.js'
import { indexFrom, indexUntil, type Bound } from './log-options.js'
import { writeLines, type Console } from '../../clients/cli/console.js'
import { trailerLine } from '../../clients/evidence/bundle-lines.js'
import { commitLine, headerLine, NodeLinesDigest } from './export-lines.js'
import { reportTo, withLog } from './open-log.js'
import { withProgress } from '../../clients/cli/terminal.js'

interface ExportOptions {
  /** The first commit; undefined for the oldest. */
  readonly from: Bound | undefined
  /** The last commit; undefined for the newest. */
  readonly to: Bound | undefined
  readonly withSecrets: boolean
}

/** Writes a header, the durable commits, and a trailer. @throws UsageError LogUnusable OutputClosed */
export const logExport = (
  settings: Settings,
  console: Console,
  { from, to, withSecrets }: ExportOptions
): Promise<void> =>
  withLog(settings, { withSecrets, report: reportTo(console) }, async log => {
    const first = from ? await indexFrom(log, from) : log.firstIndex
    const last = Math.min(to ? await indexUntil(log, to) : Infinity, log.durableIndex)
    const { id, incarnation } = log.identity
    const head = headerLine({
      Log: id,
      Incarnation: incarnation,
      From: first,
      HeadIndex: last,
      HeadHash: await log.hashAt(last),
      Secrets: withSecrets
    })
    const total = Math.max(0, last - first + 1)
    await withProgress(console, { task: 'exporting', total, unit: 'commits' }, async advance => {
      const digest = new NodeLinesDigest()
      const lines = async function* () {
        digest.add(head)
        yield head
        for await (const commit of log.read(first)) {
          if (commit.Index > last) break
          const line = commitLine(commit)
          digest.add(line)
          yield line
          advance(commit.Index - first + 1)
        }
        yield trailerLine({ Commits: total, SHA256: digest.end() })
      }
      await writeLines(console.out, lines())
    })
  })
