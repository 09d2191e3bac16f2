// Events of keys: of all that a page is about where the token may read that, else of those keys that it may.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../../../client/events.js'
import type { StreamState } from '../../live/stream-state.js'
import { useStream } from '../../live/use-stream.js'
import { client } from '../../session/session.js'

const TYPES = ['KVSet', 'KVLock', 'KVUnlock', 'KVDelete']

export interface KeyEvents {
  readonly state: StreamState
  /** Which right is missing to see all of it, in the words of the server. */
  readonly denied: string | undefined
}

/**
 * @param under a folder; empty for all keys
 * @param asked must be the same object as long as the same is asked for
 */
export const useKeyEvents = (
  under: string,
  asked: EventsOptions,
  show: (messages: readonly EventMessage[]) => void
): KeyEvents => {
  const asking = client.value
  const [refusal, setRefusal] = useState({ asking, text: '' })
  const denied = refusal.asking === asking && refusal.text !== '' ? refusal.text : undefined
  const topic = denied === undefined ? 'KV' : 'any'
  const options = useMemo(
    () => ({ ...asked, topics: [under === '' ? topic : `${topic}:${under}`], types: TYPES }),
    [asked, topic, under]
  )
  const state = useStream(options, show)
  const refused = typeof state === 'object' && 'refused' in state ? state.refused : undefined
  const isDenied = denied === undefined && refused?.startsWith('Permission denied') === true
  useEffect(() => {
    if (isDenied && refused !== undefined) setRefusal({ asking, text: refused })
  }, [asking, isDenied, refused])
  // For a moment what was refused is still the state of the stream that takes its place.
  return { state: isDenied || (refused !== undefined && refused === denied) ? 'loading' : state, denied }
}
