import { useState } from 'preact/hooks'
import { client } from '../../../session/session.js'
import { messageOf } from '../../../../../events/errors.js'
import { useTask } from '../../use-task.js'
import type { KeySpace } from '../entry.js'
import { namesBelow } from './names.js'

const MAX_RESULTS = 1_000

export interface SearchResult {
  readonly names: readonly string[]
  readonly looked: number
  readonly state: 'searching' | 'done' | 'cut'
  readonly failure?: string
}

const NOTHING: SearchResult = { names: [], looked: 0, state: 'searching' }

/** @param wanted in lower case; empty to search nothing */
export const useSearch = ({ ns, partition }: KeySpace, under: string, wanted: string): SearchResult => {
  const { connection } = client.value
  const [found, setFound] = useState(NOTHING)
  const search = async (signal: AbortSignal): Promise<void> => {
    setFound(NOTHING)
    if (wanted === '') return
    let names: readonly string[] = []
    let looked = 0
    for await (const page of namesBelow(connection, {
      space: { ns, partition },
      under,
      isDeep: true,
      signal
    })) {
      names = [...names, ...page.filter(name => name.slice(under.length).toLowerCase().includes(wanted))]
      looked += page.length
      if (names.length >= MAX_RESULTS)
        return setFound({ names: names.slice(0, MAX_RESULTS), looked, state: 'cut' })
      setFound({ names, looked, state: 'searching' })
    }
    setFound({ names, looked, state: 'done' })
  }
  useTask(search, error => setFound({ ...NOTHING, state: 'done', failure: messageOf(error) }), [
    connection,
    ns,
    partition,
    under,
    wanted
  ])
  return found
}
