// A list of things of several topics: all of them where the token may read that, else those that it may.
import { useEffect, useState } from 'preact/hooks'
import { useThings, type Things, type ThingsOptions } from './use-things.js'
import { client } from '../session/session.js'

export interface AllowedThings<State extends object> extends Things<State> {
  /** Which right is missing to see all of them, in the words of the server. */
  readonly denied: string | undefined
}

const FORBIDDEN = 403

/** @param options its filter must name the topics */
export const useAllowedThings = (options: ThingsOptions): AllowedThings<object> => {
  const asking = client.value
  const [refusal, setRefusal] = useState({ asking, text: '' })
  const denied = refusal.asking === asking && refusal.text !== '' ? refusal.text : undefined
  const things = useThings({
    ...options,
    ...(denied === undefined ? {} : { topics: ['any'] })
  })
  const { state } = things
  const refused =
    typeof state === 'object' && 'refused' in state && state.status === FORBIDDEN ? state.refused : undefined
  useEffect(() => {
    if (refused !== undefined && denied === undefined) setRefusal({ asking, text: refused })
  }, [asking, refused, denied])
  return { ...things, denied, ...(refused === undefined ? {} : { state: 'loading' }) }
}
