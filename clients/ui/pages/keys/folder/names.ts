import type { Place } from '../../../session/tenancy.js'
import type { Connection } from '../../../../typescript/connection.js'
import { RequestRefused } from '../../../../typescript/failures.js'
import { queryAsOf } from '../../../time-travel/as-of-state.js'
import { kvPath } from '../entry.js'

const PAGE = 10_000

interface Walk {
  readonly space: Place
  readonly under: string
  /** Lists the keys of subfolders in place of the subfolders. */
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
    // The server responds 404 if no key has the prefix.
    if (error instanceof RequestRefused && error.status === 404) return []
    throw error
  }
}

/** Yields pages of the names below a prefix. @throws RequestRefused, Unreachable */
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

/** Checks for a permitted key with the prefix. */
export const folderExists = async (connection: Connection, walk: Walk): Promise<boolean> =>
  (await pageAfter(connection, { ...walk, isDeep: true }, undefined, 1)).length > 0
