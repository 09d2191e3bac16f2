// Names of keys as the server lists them, a page at a time.
import type { Connection } from '../../../../typescript/connection.js'
import { RequestRefused } from '../../../../typescript/failures.js'
import { queryAsOf } from '../../../time-travel/as-of-state.js'
import { kvPath, type KeySpace } from '../entry.js'

/** Names in one answer. */
const PAGE = 10_000

interface Walk {
  readonly space: KeySpace
  /** What they begin with. */
  readonly under: string
  /** Whether those in folders of the folder are listed too, instead of the folders. */
  readonly isDeep?: boolean
  readonly signal?: AbortSignal
}

const pageAfter = async (
  connection: Connection,
  { space, under, isDeep, signal }: Walk,
  after: string | undefined,
  limit: number
): Promise<readonly string[]> => {
  const path = kvPath(under)
  const query = queryAsOf(path, { ...space, keys: true, separator: isDeep ? undefined : '/', limit, after })
  try {
    const answer = await connection.request('GET', path, { query, ...(signal ? { signal } : {}) })
    return await answer.json<readonly string[]>()
  } catch (error) {
    // Where nothing begins so, the server finds nothing.
    if (error instanceof RequestRefused && error.status === 404) return []
    throw error
  }
}

/** The names below a beginning of keys, page by page. @throws RequestRefused, Unreachable */
export async function* namesBelow(
  connection: Connection,
  walk: Walk
): AsyncGenerator<readonly string[], void> {
  for (let after: string | undefined; ;) {
    const page = await pageAfter(connection, walk, after, PAGE)
    yield page
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

/** Whether there is a key that begins so, of those that the token may see. */
export const folderExists = async (connection: Connection, walk: Walk): Promise<boolean> =>
  (await pageAfter(connection, { ...walk, isDeep: true }, undefined, 1)).length > 0
