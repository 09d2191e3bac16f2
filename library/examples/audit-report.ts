// Reports who changed what, when, why and from where: `node dist/library/examples/audit-report.js ./data 2026-11-01 2026-12-01` prints Markdown.
import { pathToFileURL } from 'node:url'
import { openLog, type Commit, type ReadableLog } from 'annals'

interface Period {
  readonly from: Date
  readonly to: Date
  /** AccessorID; undefined for all. */
  readonly accessor?: string | undefined
}

/** Names come from users, and may have characters that end a cell. */
const cell = (text: string): string => text.replaceAll(/[\p{Cc}]/gu, ' ').replaceAll('|', String.raw`\|`)

const rowOf = ({ Index, Time, By, Events }: Commit): string => {
  const changes = Events.map(({ Type, Namespace, Key, Erased }) =>
    [Type, [Namespace, Key].filter(name => name !== '').join('/'), Erased ? '(erased)' : ''].join(' ').trim()
  )
  const author = By.AccessorID || 'the server'
  const cells = [String(Index), Time, author, By.Address, By.Reason ?? '', changes.join(', ')]
  return `| ${cells.map(cell).join(' | ')} |`
}

/** Yields the lines of a report, with one commit in memory at a time. */
export async function* auditReport(log: ReadableLog, { from, to, accessor }: Period): AsyncGenerator<string> {
  yield '| Commit | Time | Author | Address | Reason | Changes |'
  yield '| --- | --- | --- | --- | --- | --- |'
  for await (const commit of log.commits({ until: to })) {
    if (Date.parse(commit.Time) < from.getTime()) continue
    if (accessor === undefined || commit.By.AccessorID === accessor) yield rowOf(commit)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = './data', from = '1970-01-01', to = new Date().toISOString(), accessor] =
    process.argv.slice(2)
  const log = await openLog(folder)
  for await (const line of auditReport(log, { from: new Date(from), to: new Date(to), accessor }))
    console.log(line)
  await log.close()
}
