// Lists the tokens with a permission at a time: `node dist/library/examples/rights.js ./data write secret/db 2026-11-17T12:00:00Z`
import { pathToFileURL } from 'node:url'
import { openLog, type ReadableLog } from 'annals'
import { replay } from 'annals/replay'

const HOME = { partition: 'default', namespace: 'default' }

interface Holder {
  readonly accessor: string
  readonly description: string
}

/** Returns the tokens that could read or write a key of the default namespace at a commit or a time. */
export const whoMight = async (
  log: ReadableLog,
  access: 'read' | 'write',
  key: string,
  until: number | Date
): Promise<readonly Holder[]> => {
  const { views, time } = await replay(log, { until })
  return views.tokens
    .list(HOME)
    .filter(row => row.isValid(Date.parse(time)))
    .filter(row => views.resolver.authorizerOf(row).may('key', access, key, HOME))
    .map(({ token }) => ({ accessor: token.AccessorID, description: token.Description }))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = './data', access = 'write', key = '', at = new Date().toISOString()] = process.argv.slice(2)
  if (access !== 'read' && access !== 'write') throw new Error('read or write')
  const log = await openLog(folder)
  console.table(await whoMight(log, access, key, new Date(at)))
  await log.close()
}
