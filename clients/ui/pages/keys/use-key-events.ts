import { useMemo } from 'preact/hooks'
import type { EventMessage, EventsOptions } from '../../../typescript/events.js'
import { useAllowedStream, type AllowedStream } from '../../live/use-stream.js'

const TYPES = ['KVSet', 'KVLock', 'KVUnlock', 'KVDelete']

/** @param under a folder; empty for all keys @param asked must be stable */
export const useKeyEvents = (
  under: string,
  asked: EventsOptions,
  show: (messages: readonly EventMessage[]) => void
): AllowedStream => {
  const options = useMemo(
    () => ({ ...asked, topics: [under === '' ? 'KV' : `KV:${under}`], types: TYPES }),
    [asked, under]
  )
  return useAllowedStream(options, show)
}
