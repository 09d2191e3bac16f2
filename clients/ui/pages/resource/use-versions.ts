// The versions of a resource, newest first. Older pages load on request, and new versions automatically.
import { useRef, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { messageOf } from '../../../../events/errors.js'
import { client } from '../../session/session.js'
import { useTask } from '../../session/use-response.js'
import type { Version } from '../../resources/kind.js'

const PATH = '/v1/event/history'
const PAGE = 100
const MOST = 1000

interface Page {
  readonly versions: readonly Version[]
  readonly hasOlder: boolean
}

const pageOf = async (named: Query, more: Query, signal: AbortSignal): Promise<Page> => {
  const query = { ...named, payload: true, limit: PAGE, ...more }
  const answer = await client.value.connection.request('GET', PATH, { query, signal })
  const hasOlder = (answer.headers.get('Link') ?? '').includes('rel="next"')
  return { versions: await answer.json<readonly Version[]>(), hasOlder }
}

/** Follows the history by its index, so that no version is missed. @param named identifies the resource */
export const useVersions = (named: Query) => {
  const [page, setPage] = useState<Page>()
  const [failure, setFailure] = useState<string>()
  const ended = useRef<AbortSignal>(undefined)
  const fail = (error: unknown): void => {
    setPage(undefined)
    setFailure(messageOf(error))
  }
  const follow = async (signal: AbortSignal): Promise<void> => {
    ended.current = signal
    setPage(undefined)
    setFailure(undefined)
    const first = await pageOf(named, {}, signal)
    setPage(first)
    let newest = first.versions[0]?.Index ?? 0
    const query = { ...named, limit: 1 }
    for await (const { value, index } of client.value.blocking(PATH, { query, signal })) {
      if (value === undefined) throw new Error('The history is no longer visible to this token.')
      while (Number(index) > newest) {
        const { versions } = await pageOf(named, { after: newest, limit: MOST }, signal)
        setPage(before => before && { ...before, versions: joined(versions, before.versions) })
        newest = versions[0]?.Index ?? Number(index)
      }
    }
  }
  useTask(follow, fail, [client.value, JSON.stringify(named)])
  const loadOlder = (): void => {
    const oldest = page?.versions.at(-1)
    const { current: signal } = ended
    if (!oldest || !signal) return
    pageOf(named, { before: oldest.Index }, signal).then(
      ({ versions, hasOlder }) =>
        setPage(before => before && { versions: joined(before.versions, versions), hasOlder }),
      (error: unknown) => {
        if (!signal.aborted) fail(error)
      }
    )
  }
  return {
    /** Undefined until the response, and after a failure. */
    versions: page?.versions,
    failure,
    hasOlder: page?.hasOlder ?? false,
    loadOlder
  }
}

export type Versions = ReturnType<typeof useVersions>

/** Merges newer and older versions without duplicates. */
const joined = (newer: readonly Version[], older: readonly Version[]): readonly Version[] => {
  const oldest = newer.at(-1)
  return oldest ? [...newer, ...older.filter(({ Index }) => Index < oldest.Index)] : older
}
