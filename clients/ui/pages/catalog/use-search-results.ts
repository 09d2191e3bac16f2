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

/** Searches once after the other: of those that come during one, only the last is done. */
class Searcher {
  #next: Search | undefined
  #isSearching = false

  constructor(private readonly show: (found: readonly string[]) => void) {}

  /** @param search undefined when nothing is searched for any more */
  async search(search: Search | undefined): Promise<void> {
    this.#next = search
    if (this.#isSearching) return
    this.#isSearching = true
    for (let next = this.#taken(); next; next = this.#taken()) {
      const found: string[] = []
      await inWorkerChunks(searching(next, found), () => true)
      this.show(found)
    }
    this.#isSearching = false
  }

  #taken(): Search | undefined {
    const next = this.#next
    this.#next = undefined
    return next
  }
}

/**
 * Until it is done, the answer is what was found before.
 * @param isFound undefined where all are wanted
 * @param asked what it depends on
 */
export const useSearchResults = (
  ids: readonly string[],
  isFound: IsFound | undefined,
  asked: readonly unknown[]
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
  }, [ids, isFound === undefined, ...asked])
  if (!isFound) shown.current = ids
  return shown.current
}
