// The versions of a resource, newest first. Older pages load on request, and new versions automatically.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { messageOf } from '../../../../events/errors.js'
import { client } from '../../session/session.js'
import type { Version } from '../../resources/versions.js'

const PAGE = 100
const MOST = 1000

interface Page {
  readonly versions: readonly Version[]
  /** There are older versions, or newer ones in a request with `after`. */
  readonly hasMore: boolean
}

export interface Versions {
  /** Undefined until the response, and after a failure. */
  readonly versions: readonly Version[] | undefined
  readonly failure: string | undefined
  readonly hasOlder: boolean
  readonly loadOlder: () => void
}

const pageOf = async (named: Query, more: Query, signal: AbortSignal): Promise<Page> => {
  const query = { ...named, payload: true, limit: PAGE, ...more }
  const answer = await client.value.connection.request('GET', '/v1/event/history', { query, signal })
  const links = answer.headers.get('Link') ?? ''
  const hasMore = links.includes(more['after'] === undefined ? 'rel="next"' : 'rel="prev"')
  return { versions: await answer.json<readonly Version[]>(), hasMore }
}

/** @param named identifies the resource @param turn changes whenever the resource has changed */
export const useVersions = (named: Query, turn: number): Versions => {
  const [page, setPage] = useState<Page>()
  const [failure, setFailure] = useState<string>()
  const ended = useRef(new AbortController())
  const asking = client.value
  const question = JSON.stringify(named)
  const tell = (error: unknown, { aborted }: AbortSignal): void => {
    if (aborted) return
    setPage(undefined)
    setFailure(messageOf(error))
  }
  useEffect(() => {
    const { signal } = (ended.current = new AbortController())
    setPage(undefined)
    setFailure(undefined)
    pageOf(named, {}, signal).then(setPage, (error: unknown) => tell(error, signal))
    return () => ended.current.abort()
  }, [asking, question])
  useEffect(() => {
    const newest = page?.versions[0]
    if (turn === 0 || !newest) return undefined
    const turned = new AbortController()
    const signal = AbortSignal.any([ended.current.signal, turned.signal])
    const readOn = async (after: number): Promise<void> => {
      const { versions, hasMore } = await pageOf(named, { after, limit: MOST }, signal)
      setPage(before => before && { ...before, versions: joined(versions, before.versions) })
      const [last] = versions
      if (hasMore && last) await readOn(last.Index)
    }
    readOn(newest.Index).catch((error: unknown) => tell(error, signal))
    return () => turned.abort()
  }, [turn])
  const loadOlder = (): void => {
    const oldest = page?.versions.at(-1)
    const { signal } = ended.current
    if (!oldest) return
    pageOf(named, { before: oldest.Index }, signal).then(
      ({ versions, hasMore }) =>
        setPage(before => before && { versions: joined(before.versions, versions), hasMore }),
      (error: unknown) => tell(error, signal)
    )
  }
  return { versions: page?.versions, failure, hasOlder: page?.hasMore ?? false, loadOlder }
}

/** Merges newer and older versions without duplicates. */
const joined = (newer: readonly Version[], older: readonly Version[]): readonly Version[] => {
  const oldest = newer.at(-1)
  return oldest ? [...newer, ...older.filter(({ Index }) => Index < oldest.Index)] : older
}
