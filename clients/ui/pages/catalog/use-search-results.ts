// The search of a long list, in short chunks so that the page stays responsive.
import { useMemo, useRef } from 'preact/hooks'
import { inWorkerChunks, CHUNK_LIMIT } from '../../live/worker/worker-chunks.js'
import { useTask, useTurn } from '../../session/use-response.js'

type IsFound = (id: string) => boolean

function* searching(ids: readonly string[], isFound: IsFound, found: string[]): Generator<void> {
  let steps = 0
  for (const id of ids) {
    if (isFound(id)) found.push(id)
    if (++steps % CHUNK_LIMIT === 0) yield
  }
}

/** Returns the previous results until a search is complete. @param isFound undefined for all @param dependencies of `isFound` */
export const useSearchResults = (
  ids: readonly string[],
  isFound: IsFound | undefined,
  dependencies: readonly unknown[]
): readonly string[] => {
  const shown = useRef(ids)
  const [, show] = useTurn()
  const search = async (): Promise<void> => {
    if (!isFound) return
    const found: string[] = []
    await inWorkerChunks(searching(ids, isFound, found), () => true)
    shown.current = found
    show()
  }
  const turn = useMemo(() => ({}), [ids, isFound === undefined, ...dependencies])
  useTask(search, () => {}, [], turn)
  if (!isFound) shown.current = ids
  return shown.current
}
