// The search of a long list, in short chunks so that the page stays responsive.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { inWorkerChunks, CHUNK_LIMIT } from '../../live/worker/worker-chunks.js'

type IsFound = (id: string) => boolean

interface Search {
  readonly ids: readonly string[]
  readonly isFound: IsFound
}

function* searching({ ids, isFound }: Search, found: string[]): Generator<void> {
  let steps = 0
  for (const id of ids) {
    if (isFound(id)) found.push(id)
    if (++steps % CHUNK_LIMIT === 0) yield
  }
}

/** Runs one search at a time. Of the searches that arrive during another one, only the last runs. */
class Searcher {
  #next: Search | undefined
  #isSearching = false

  constructor(private readonly show: (found: readonly string[]) => void) {}

  /** @param search undefined to cancel the waiting search */
  async search(search: Search | undefined): Promise<void> {
    this.#next = search
    if (this.#isSearching) return
    this.#isSearching = true
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      const found: string[] = []
      await inWorkerChunks(searching(next, found), () => true)
      this.show(found)
    }
    this.#isSearching = false
  }

  #takeNext(): Search | undefined {
    const next = this.#next
    this.#next = undefined
    return next
  }
}

/** Returns the previous results until a search is complete. @param isFound undefined for all @param dependencies of `isFound` */
export const useSearchResults = (
  ids: readonly string[],
  isFound: IsFound | undefined,
  dependencies: readonly unknown[]
): readonly string[] => {
  const shown = useRef(ids)
  const [, setTurn] = useState(0)
  const searcher = useMemo(
    () =>
      new Searcher(found => {
        shown.current = found
        setTurn(turn => turn + 1)
      }),
    []
  )
  useLayoutEffect(() => {
    void searcher.search(isFound && { ids, isFound })
  }, [ids, isFound === undefined, ...dependencies])
  if (!isFound) shown.current = ids
  return shown.current
}
